import type { Config } from '../../src/core/config/config.ts';
import type { Core } from '../../src/core/core.ts';
import type { SecretBox } from '../../src/core/lib/secret-box.ts';
import type { ServiceClient } from '../../src/core/service/service-client.ts';
import { fake } from './fake.ts';

interface Given extends Partial<Omit<Core, 'config' | 'service'>> {
  readonly config?: { readonly [Key in keyof Config]?: Partial<Config[Key]> };
  readonly service?: Partial<ServiceClient>;
}

/**
 * As much of what features work with as a test says, and whatever a feature has besides. Whatever else is read of it,
 * or of its configuration and the service, throws by name; within a section it is undefined.
 */
export function coreWith<More extends object>(given: Given & More): Core & More {
  const { config, service } = given;
  return fake<Core & More>({
    ...given,
    ...(config && { config: fake<Config>(config as Partial<Config>) }),
    ...(service && { service: fake<ServiceClient>(service) }),
  } as Partial<Core & More>); // as: nobody asks for the rest of a section
}

/** Seals nothing: it says what it would have sealed. */
export const NO_BOX: SecretBox = {
  seal: (_plain, context) => `sealed-${context.replace('approval.', '')}`,
  open: (sealed) => sealed,
};
