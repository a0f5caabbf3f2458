import { generateKeyPairSync, sign } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './child.ts';

const ISSUER = 'https://issuer.invalid';
const HOUR_S = 3_600;

/** A source with identity tokens instead of a secret, whose issuer's keys are in a file; and a token of it. */
export interface IdentitySource extends AsyncDisposable {
  /** In addition to the rest of a bot's environment. */
  readonly env: Env;
  readonly token: string;
}

/** Signed with RSA, as most CI systems do. */
export async function makeIdentitySource(): Promise<IdentitySource> {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-bench-'));
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const shown = { ...publicKey.export({ format: 'jwk' }), kid: 'bench', alg: 'RS256' };
  const [keys, config] = [join(folder, 'keys.json'), join(folder, 'gatepost.yaml')];
  await writeFile(keys, JSON.stringify({ keys: [shown] }));
  const oidc = {
    ...{ preset: 'github', issuer: ISSUER, audience: 'gatepost', jwksFile: keys },
    claims: { repository_id: 74, ref: ['refs/heads/main', 'refs/tags/*'] },
  };
  const source = { id: 'jobs', auth: 'oidc', oidc, routes: ['default'], kinds: ['approval'] };
  // JSON is also YAML.
  await writeFile(config, JSON.stringify({ sources: [source] }));
  const now = Math.floor(Date.now() / 1_000);
  const claims = {
    ...{ iss: ISSUER, aud: 'gatepost', iat: now, nbf: now, exp: now + HOUR_S, jti: 'bench' },
    ...{ sub: 'repo:acme/shop:ref:refs/heads/main', ref: 'refs/heads/main', sha: '9f2c1e7' },
    ...{ repository: 'acme/shop', repository_id: '74', repository_owner: 'acme' },
    ...{ run_id: '4711', run_attempt: '1', event_name: 'push', workflow: 'deploy' },
  };
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const text = `${part({ alg: 'RS256', kid: 'bench', typ: 'JWT' })}.${part(claims)}`;
  const token = `${text}.${sign('sha256', Buffer.from(text), privateKey).toString('base64url')}`;
  return {
    env: { GATEPOST_CONFIG: config },
    token,
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
