import { fileVariable, lookUp, secretIn } from '../src/core/config/environment.ts';
import { readProxies } from '../src/core/config/proxies.ts';
import { intakeSecrets } from '../src/core/config/values.ts';
import type { Proxies } from '../src/core/lib/proxies.ts';
import { type TokenPlace, tokenPlace } from './id-token.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** How a client authenticates: the one way of its source. */
export type Credentials =
  /** If it starts with `whsec_` each request is signed; otherwise it is sent as a Bearer token. */
  | { readonly kind: 'secret'; readonly secret: string }
  /** Each request brings the job's identity token, or the key to its request. */
  | { readonly kind: 'id-token'; readonly place: TokenPlace };

/** Address, proxies and credentials for a running Gatepost. `problem`: a sentence about the settings. */
export function gateAddress(env: Env): {
  readonly url: URL;
  readonly credentials: Credentials;
  readonly proxies: Proxies;
  readonly problem?: string;
} {
  const address = lookUp(env, 'GATEPOST_URL') ?? '';
  const url = URL.canParse(address) ? new URL(address) : NOWHERE;
  const { proxies, problems } = readProxies(env);
  const own = credentialsIn(env);
  const credentials = 'problem' in own ? NO_CREDENTIALS : own;
  const found = { url, proxies, credentials };
  if (address === '') {
    return { ...found, problem: 'GATEPOST_URL must be set: the address of a running Gatepost.' };
  }
  const isWeb = url.protocol === 'http:' || url.protocol === 'https:';
  if (!isWeb || url === NOWHERE) {
    const problem = 'GATEPOST_URL must be an address that begins with https:// or http://.';
    return { ...found, problem };
  }
  if ('problem' in own) return { ...found, problem: own.problem };
  const [bad] = problems;
  return bad === undefined ? found : { ...found, problem: `${bad.name} ${bad.message}.` };
}

/** The secret takes precedence: whoever sets it wants it used. */
function credentialsIn(env: Env): Credentials | { readonly problem: string } {
  const { value: given, problem: ofFile } = secretIn(env, SECRET);
  if (ofFile !== undefined) return { problem: `${fileVariable(SECRET)} ${ofFile}.` };
  if (given !== undefined) {
    // During rotation both are valid.
    const { data: [secret = ''] = [], error } = intakeSecrets('bearer').safeParse(given);
    if (error !== undefined) return { problem: `${SECRET} ${error.issues[0]?.message}.` };
    return { kind: 'secret', secret };
  }
  const token = tokenPlace(env);
  if (token !== undefined) return 'problem' in token ? token : { kind: 'id-token', ...token };
  const isGithub = lookUp(env, 'GITHUB_ACTIONS') === 'true';
  const next = isGithub ? ' Or give the job permissions: { id-token: write }.' : '';
  return { problem: `${SECRET} must be set: the secret of your source.${next}` };
}

const SECRET = 'GATEPOST_INTAKE_SECRET';
const NO_CREDENTIALS: Credentials = { kind: 'secret', secret: '' };
const NOWHERE = new URL('http://nowhere.invalid');
