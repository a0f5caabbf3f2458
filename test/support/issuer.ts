import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';

/** How the issuer behaves. */
type Mood = 'well' | 'hangs' | 'rubbish' | 'redirects' | 'fails' | 'other-name' | 'no-keys';

interface Key {
  readonly kid: string;
  readonly alg: string;
  readonly sign: CryptoKey;
  readonly shown: JWK;
}

/** A real issuer of identity tokens (OpenID Connect) on loopback, with keys of its own. */
export interface Issuer extends AsyncDisposable {
  /** As in `iss`. */
  readonly url: string;
  mood: Mood;
  /** How often each path was asked for. */
  readonly asked: Readonly<Record<'discovery' | 'keys', number>>;
  /** The present key, and all that are published. */
  readonly key: Key;
  readonly published: Key[];
  /** Signs with a new key from now on. `also`: the old ones stay published. */
  rotate(options?: {
    readonly also?: boolean;
    readonly alg?: string;
    readonly kid?: string;
  }): Promise<void>;
  /** A signed token with these claims; times are seconds from `now`, null leaves one out. */
  token(claims: Readonly<Record<string, unknown>>, options?: TokenOptions): Promise<string>;
}

interface TokenOptions {
  readonly now?: number;
  readonly ends?: number | null;
  readonly begins?: number | null;
  readonly made?: number;
  readonly issuer?: string;
  readonly key?: Key;
  readonly header?: Readonly<Record<string, unknown>>;
}

let made = 0;

async function newKey(alg = 'ES256', kid?: string): Promise<Key> {
  made += 1;
  const name = kid ?? `key-${made}`;
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const shown = { ...(await exportJWK(publicKey)), kid: name, alg, use: 'sig' };
  return { kid: name, alg, sign: privateKey, shown };
}

export async function startIssuer({ kid }: { readonly kid?: string } = {}): Promise<Issuer> {
  const asked = { discovery: 0, keys: 0 };
  const published = [await newKey('ES256', kid)];
  let url = '';
  const server = createServer((request, response) => answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has a port
  url = `http://127.0.0.1:${port}`;

  function answer({ url: path = '' }: IncomingMessage, response: ServerResponse): void {
    const isDiscovery = path.startsWith('/.well-known/');
    asked[isDiscovery ? 'discovery' : 'keys'] += 1;
    if (issuer.mood === 'hangs') return;
    if (issuer.mood === 'redirects') {
      response.writeHead(302, { location: `${url}/elsewhere` }).end();
      return;
    }
    if (issuer.mood === 'fails') return void response.writeHead(500).end('no');
    const body = isDiscovery
      ? { issuer: issuer.mood === 'other-name' ? `${url}/other` : url, jwks_uri: `${url}/keys` }
      : { keys: issuer.mood === 'no-keys' ? [] : published.map(({ shown }) => shown) };
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(issuer.mood === 'rubbish' ? '<html>' : JSON.stringify(body));
  }

  const issuer: Issuer = {
    url,
    mood: 'well',
    asked,
    published,
    get key() {
      const last = published.at(-1);
      if (last === undefined) throw new Error('the issuer has no key');
      return last;
    },
    async rotate({ also = true, alg, kid: name } = {}) {
      if (!also) published.length = 0;
      published.push(await newKey(alg, name));
    },
    token(claims, options = {}) {
      const { now = Date.now(), ends = 300, begins = -5, made: at = -5 } = options;
      const { issuer: iss = url, key = issuer.key, header } = options;
      const second = Math.floor(now / 1_000);
      const times = {
        iat: second + at,
        ...(begins !== null && { nbf: second + begins }),
        ...(ends !== null && { exp: second + ends }),
      };
      return new SignJWT({ iss, ...times, ...claims })
        .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: 'JWT', ...header })
        .sign(key.sign);
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return issuer;
}

/** Of a job of `acme/shop` at GitHub, as its documentation shows them; `sub` and the rest as the job has them. */
export const GITHUB_CLAIMS = {
  jti: 'example-id',
  sub: 'repo:acme/shop:ref:refs/heads/main',
  aud: 'gatepost',
  ref: 'refs/heads/main',
  sha: 'example-sha',
  repository: 'acme/shop',
  repository_owner: 'acme',
  actor_id: '583231',
  repository_visibility: 'private',
  repository_id: '74',
  repository_owner_id: '65',
  run_id: '4711',
  run_number: '10',
  run_attempt: '1',
  runner_environment: 'github-hosted',
  actor: 'cleo',
  workflow: 'deploy',
  head_ref: '',
  base_ref: '',
  event_name: 'push',
  ref_type: 'branch',
  job_workflow_ref: 'acme/shop/.github/workflows/deploy.yml@refs/heads/main',
} as const;
