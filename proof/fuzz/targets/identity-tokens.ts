import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import type { NewAlert } from '../../../src/core/alerts/raise-alert.ts';
import type { Source } from '../../../src/core/config/config.ts';
import type { Connect } from '../../../src/core/http/exchange.ts';
import { createCallers } from '../../../src/core/identity-tokens/callers.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import type { Chance } from '../../simulation/chance.ts';
import { oddText, spoiledBytes, spoiledText, spoiledValue, writtenJson } from '../mutate.ts';
import { Finding, type OpenTarget, type Target } from '../target.ts';

/**
 * Identity tokens and request keys, and what an issuer answers: whoever is let in has a token that was signed with the
 * issuer's key, and that says what the source demands.
 */
export const identityTokensTarget: Target = {
  name: 'identity-tokens',
  weight: 8,
  async open(chance) {
    const key = keyFrom(chance.bytes(32));
    const other = keyFrom(chance.bytes(32));
    return {
      run: (given) => tryOne(key, other, given),
      async close() {},
    } satisfies OpenTarget;
  },
};

const NOW = Date.UTC(2026, 0, 5, 8);
const ISSUER = 'https://issuer.invalid';
const KID = 'key-1';
const KEYS = [{ id: 'k1', key: Buffer.alloc(32, 7) }];
const ID = '0-Jx3Jx3Jx3Jx3Jx3J';
const SOURCE: Source = {
  id: 'shop',
  auth: {
    ...{ kind: 'oidc', preset: 'github', issuer: ISSUER, audience: 'gatepost' },
    claims: { repository: ['acme/*'], ref: ['refs/heads/main'] },
    jwksFile: null,
    ca: null,
  },
  ...{ secrets: [], routes: [], channels: [], kinds: ['gate'] },
};

const second = NOW / 1_000;
const CLAIMS = {
  iss: ISSUER,
  aud: 'gatepost',
  sub: 'repo:acme/shop:ref:refs/heads/main',
  iat: second - 5,
  nbf: second - 5,
  exp: second + 300,
  repository: 'acme/shop',
  repository_id: '74',
  ref: 'refs/heads/main',
  run_id: '4711',
  run_attempt: '1',
  actor: 'cleo',
  actor_id: '583231',
  event_name: 'push',
};

/** Ed25519 from these bytes, so that the same seed makes the same tokens. */
function keyFrom(bytes: Buffer): KeyObject {
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), bytes]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

const part = (text: string) => Buffer.from(text).toString('base64url');

function signed(head: string, body: string, key: KeyObject): string {
  const text = `${part(head)}.${part(body)}`;
  return `${text}.${sign(null, Buffer.from(text), key).toString('base64url')}`;
}

async function tryOne(key: KeyObject, other: KeyObject, chance: Chance): Promise<void> {
  const header = { alg: 'EdDSA', kid: KID, typ: 'JWT' };
  const head = writtenJson(chance.often(0.3) ? spoiledValue(header, chance) : header, chance);
  const body = writtenJson(chance.often(0.6) ? spoiledValue(CLAIMS, chance) : CLAIMS, chance);
  const isOurs = chance.often(0.85);
  const token = signed(head, body, isOurs ? key : other);
  const given = chance.often(0.35) ? spoiledToken(token, chance) : token;
  const alerts: NewAlert[] = [];
  const callers = createCallers({
    sources: [SOURCE],
    keys: KEYS,
    connect: issuerOf(key, chance),
    clock: { now: () => NOW, monotonic: () => 0 },
    timers: systemTimers,
    onToken: () => {},
    onTrouble: (alert) => void alerts.push(alert),
  });
  const named = chance.often(0.1) ? oddText(chance).slice(0, 100) : undefined;
  const headers = {
    authorization: `Bearer ${given}`,
    ...(named !== undefined && { 'gatepost-source': named }),
  };
  const found = await callers.find(headers, chance.often(0.5) ? ID : undefined);
  await callers.close();
  if (found === undefined) return;
  if (found.kind === 'refused') return judgeRefusal(found.reply, given, alerts);
  const [givenHead, givenBody] = given.split('.');
  const isSigned = isOurs && givenHead === part(head) && givenBody === part(body);
  if (found.kind !== 'source' || !isSigned || !isRight(body)) {
    throw new Finding('crash', `it lets in ${given.slice(0, 3_000)} (${head} ${body})`);
  }
  JSON.stringify(found.proof);
}

function judgeRefusal(
  { status, body }: { readonly status: number; readonly body: string },
  given: string,
  alerts: readonly NewAlert[],
): void {
  if (status !== 401 && status !== 503) throw new Finding('crash', `answered ${status}: ${body}`);
  const pieces = given.split('.').filter(({ length }) => length > 20);
  const said = body + JSON.stringify(alerts);
  if (pieces.some((piece) => said.includes(piece)))
    throw new Finding('leak', `a refusal holds the token: ${body}`);
}

/** Written apart from the program: whether these claims are what the source demands. */
function isRight(body: string): boolean {
  const { iss, aud, sub, exp, nbf, iat, repository, repository_id: id, ref } = JSON.parse(body);
  const audiences = Array.isArray(aud) ? aud : [aud];
  const isTimely =
    typeof exp === 'number' &&
    exp > second - 60 &&
    exp <= second + 86_460 &&
    (nbf === undefined || nbf <= second + 60) &&
    (iat === undefined || exp - iat <= 86_460);
  const isNamed = ['string', 'number', 'boolean'].includes(typeof sub) && String(sub) !== '';
  const isOwn = typeof repository === 'string' && /^acme\/./s.test(repository);
  const isScoped = id !== '';
  return (
    iss === ISSUER &&
    audiences.includes('gatepost') &&
    isNamed &&
    isTimely &&
    isOwn &&
    isScoped &&
    ref === 'refs/heads/main'
  );
}

function spoiledToken(token: string, chance: Chance): string {
  const parts = token.split('.');
  return chance.pick([
    () => spoiledText(token, chance),
    () => spoiledBytes(Buffer.from(token), chance).toString('latin1'),
    () => parts.slice(0, 2).join('.'),
    () => `${parts[0]}.${parts[1]}.`,
    () => `${part('{"alg":"none"}')}.${parts[1]}.`,
    () => `${part(`{"alg":"HS256","kid":"${KID}"}`)}.${parts[1]}.${parts[2]}`,
    () => `gpk_${chance.bytes(32).toString('base64url')}`,
    () => `gpk_${oddText(chance)}`,
    () => 'a'.repeat(chance.whole(8_000, 9_000)),
  ])();
}

/** Its discovery and its keys, right or spoiled. */
function issuerOf(key: KeyObject, chance: Chance): Connect {
  const shown = createPublicKey(key).export({ format: 'jwk' });
  const spoils = chance.often(0.2);
  const answer = (right: unknown) => {
    const value = spoils && chance.often(0.7) ? spoiledValue(right, chance) : right;
    const bytes = Buffer.from(writtenJson(value, chance));
    return spoils && chance.often(0.2) ? spoiledBytes(bytes, chance) : bytes;
  };
  return () => ({
    async send({ path }) {
      const status = spoils && chance.often(0.2) ? chance.whole(200, 599) : 200;
      const body = path.startsWith('/.well-known/')
        ? answer({ issuer: ISSUER, jwks_uri: `${ISSUER}/keys` })
        : answer({ keys: [{ ...shown, kid: KID, alg: 'EdDSA', use: 'sig' }] });
      return { kind: 'answered', status, headers: {}, body, code: 'complete' };
    },
    close: async () => {},
  });
}
