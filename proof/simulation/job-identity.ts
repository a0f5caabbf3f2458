import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { Exchange } from '../../sandbox/exchange.ts';

/** Where the issuer is, which the configuration names. */
export const ISSUER_PATH = '/issuer';
export const ISSUER = `http://127.0.0.1${ISSUER_PATH}`;
export const AUDIENCE = 'gatepost';
export const REPOSITORY_ID = '74';
/** Who starts the jobs that prove it: linked with Cleo. */
export const STARTER = 'OctoCat';

/**
 * A CI system that gives its jobs identity tokens. A job can say of its requester what it likes, and leave them out: the
 * token names who started it.
 */
export class JobIdentity {
  readonly #key: KeyObject;
  readonly #now: () => number;

  constructor(bytes: Buffer, now: () => number) {
    // Ed25519 from these bytes.
    const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]);
    this.#key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    this.#now = now;
  }

  /** A new one, of a job that was started long before any clock of this world. */
  token(): string {
    const second = Math.floor(this.#now() / 1_000);
    const claims = {
      ...{ iss: ISSUER, aud: AUDIENCE, iat: second - 3_600, exp: second + 3_600 },
      ...{ sub: 'repo:acme/shop:ref:refs/heads/main', ref: 'refs/heads/main' },
      ...{ repository: 'acme/shop', repository_id: REPOSITORY_ID, event_name: 'push' },
      ...{ run_id: '4711', run_attempt: '1', actor: STARTER },
    };
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const text = `${part({ alg: 'EdDSA', kid: 'key-1' })}.${part(claims)}`;
    return `${text}.${sign(null, Buffer.from(text), this.#key).toString('base64url')}`;
  }

  serve({ path, respond }: Exchange): void {
    const shown = { ...createPublicKey(this.#key).export({ format: 'jwk' }), kid: 'key-1' };
    const body = path.includes('/.well-known/')
      ? { issuer: ISSUER, jwks_uri: `${ISSUER}/keys` }
      : { keys: [shown] };
    respond({ status: 200, body });
  }
}
