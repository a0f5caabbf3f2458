import { readProxies } from '../../core/config/read-config.ts';
import { intakeSecrets } from '../../core/config/values.ts';
import { lookUp } from '../../core/config/variables.ts';
import type { Proxies } from '../../core/lib/proxies.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Address, proxies and credentials for a running Gatepost. `problem`: a sentence about the settings. */
export function gateAddress(env: Env): {
  readonly url: URL;
  readonly secret: string;
  readonly proxies: Proxies;
  readonly problem?: string;
} {
  const address = lookUp(env, 'GATEPOST_URL') ?? '';
  // During rotation both are valid.
  const { data: [secret = ''] = [], error } = intakeSecrets('bearer').safeParse(
    lookUp(env, 'GATEPOST_INTAKE_SECRET') ?? '',
  );
  const url = URL.canParse(address) ? new URL(address) : NOWHERE;
  const { proxies, problems } = readProxies(env);
  const found = { url, proxies, secret };
  if (address === '') {
    return { ...found, problem: 'GATEPOST_URL must be set: the address of a running Gatepost.' };
  }
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url === NOWHERE) {
    const problem = 'GATEPOST_URL must be an address that begins with https:// or http://.';
    return { ...found, problem };
  }
  if (lookUp(env, 'GATEPOST_INTAKE_SECRET') === undefined) {
    return { ...found, problem: 'GATEPOST_INTAKE_SECRET must be set: the secret of your source.' };
  }
  if (error !== undefined) {
    return { ...found, problem: `GATEPOST_INTAKE_SECRET ${error.issues[0]?.message}.` };
  }
  const [bad] = problems;
  return bad === undefined ? found : { ...found, problem: `${bad.name} ${bad.message}.` };
}

const NOWHERE = new URL('http://nowhere.invalid');
