import type { Config } from '../../src/core/config/config.ts';
import type { Core } from '../../src/core/core.ts';
import type { SecretBox } from '../../src/core/lib/secret-box.ts';
import type { ServiceClient } from '../../src/core/service/service-client.ts';
import type { Store } from '../../src/core/store/store.ts';
import { fake } from './fake.ts';

interface Given extends Partial<Omit<Core, 'config' | 'service'>> {
  readonly config?: { readonly [Key in keyof Config]?: Partial<Config[Key]> };
  readonly service?: Partial<ServiceClient>;
}

/**
 * The parts of a core that a test gives, and the feature's own. Reading anything else of it, of its configuration or of
 * the service throws with its name; within a section it is undefined. No logins are linked unless the test says so.
 */
export function coreWith<More extends object>(given: Given & More): Core & More {
  const { config, service } = given;
  return fake<Core & More>({
    store: NOTHING_ESCALATED,
    ...given,
    config: fake<Config>({ ...NOBODY_LINKED, ...config } as Partial<Config>),
    ...(service && { service: fake<ServiceClient>(service) }),
  } as Partial<Core & More>); // as: nobody asks for the rest of a section
}

/** Rules are applied as of its time. */
const NOTHING_ESCALATED = fake<Store>({ now: () => 0 });

const NOBODY_LINKED = { identityLogins: {}, identityRobots: [] };

/** Seals nothing: returns what it would have sealed. */
export const NO_BOX: SecretBox = {
  seal: (_plain, context) => `sealed-${context.replace('approval.', '')}`,
  open: (sealed) => sealed,
};
