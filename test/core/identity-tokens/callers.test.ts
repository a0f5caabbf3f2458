import { createHmac } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportSPKI, importJWK } from 'jose';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NewAlert } from '../../../src/core/alerts/raise-alert.ts';
import type { Source, TokenRules } from '../../../src/core/config/config.ts';
import { createConnections } from '../../../src/core/http/exchange.ts';
import { type Callers, createCallers } from '../../../src/core/identity-tokens/callers.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { GITHUB_CLAIMS, type Issuer, startIssuer } from '../../support/issuer.ts';

const DAY_S = 86_400;
const MINUTE_MS = 60_000;
const KEYS = [{ id: 'k1', key: Buffer.alloc(32, 7) }];

let issuer: Issuer;
let now: number;
let tick: number;
let results: string[];
let alerts: NewAlert[];
let made: Callers[];

beforeEach(async () => {
  issuer = await startIssuer();
  now = Date.now();
  tick = 0;
  results = [];
  alerts = [];
  made = [];
});
afterEach(async () => {
  await Promise.all(made.map((each) => each.close()));
  await issuer[Symbol.asyncDispose]();
});

const CLAIMS = { repository: ['acme/shop'], ref: ['refs/heads/main'] };

function sourceOf(id: string, rules: Partial<TokenRules> = {}): Source {
  const auth = {
    kind: 'oidc' as const,
    preset: 'github' as const,
    issuer: issuer.url,
    audience: 'gatepost',
    claims: CLAIMS,
    jwksFile: null,
    ca: null,
    ...rules,
  };
  return { id, auth, secrets: [], routes: [], channels: [], kinds: ['gate'] };
}

function callersOf(sources: readonly Source[], keys = KEYS): Callers {
  const callers = createCallers({
    sources,
    keys,
    connect: createConnections,
    clock: { now: () => now, monotonic: () => tick },
    timers: systemTimers,
    onToken: (result) => void results.push(result),
    onTrouble: (alert) => void alerts.push(alert),
  });
  made.push(callers);
  return callers;
}

const bearer = (token: string, source?: string) => ({
  authorization: `Bearer ${token}`,
  ...(source !== undefined && { 'gatepost-source': source }),
});

/** The source, or status and sentence of the refusal. */
async function foundBy(callers: Callers, token: string, source?: string, id?: string) {
  const found = await callers.find(bearer(token, source), id);
  if (found?.kind !== 'refused') return found?.source.id;
  const { status, headers, body } = found.reply;
  expect(body).not.toContain(token.slice(0, 20));
  const { detail } = JSON.parse(body);
  return status === 503 ? `503 ${headers['retry-after']}` : `${status} ${detail}`;
}

it('a token of the right repository and branch is its source, with what it proves', async () => {
  const callers = callersOf([sourceOf('shop')]);
  const token = await issuer.token(GITHUB_CLAIMS);
  expect(await callers.find(bearer(token))).toEqual({
    kind: 'source',
    source: expect.objectContaining({ id: 'shop' }),
    proof: {
      by: `GitHub at ${new URL(issuer.url).host}`,
      subject: 'repo:acme/shop:ref:refs/heads/main',
      scope: '74',
      repository: 'acme/shop',
      run: expect.objectContaining({ id: '4711', attempt: 1 }),
      person: { login: { login: 'cleo', at: '127.0.0.1', id: '583231' } },
      tokenId: 'example-id',
    },
  });
  expect(results).toEqual(['accepted']);
});

it('without such a source nothing is fetched, and a token may be a secret', async () => {
  const bearerSource = { ...sourceOf('shop'), auth: { kind: 'bearer' } } as const;
  const callers = callersOf([bearerSource]);
  expect(await callers.find(bearer(await issuer.token(GITHUB_CLAIMS)))).toBeUndefined();
  expect(issuer.asked).toEqual({ discovery: 0, keys: 0 });
});

it('a secret is no identity token', async () => {
  const callers = callersOf([sourceOf('shop')]);
  expect(await callers.find(bearer('a-secret'))).toBeUndefined();
  expect(await callers.find({})).toBeUndefined();
  expect(results).toEqual([]);
});

describe('refused is a token', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const cases: Record<string, [() => Promise<string>, string]> = {
    'that is not signed': [
      async () => {
        const [, body = ''] = (await issuer.token(GITHUB_CLAIMS)).split('.');
        return `${part({ alg: 'none', kid: issuer.key.kid })}.${body}.`;
      },
      'algorithm',
    ],
    'that is signed by HMAC with the public key': [
      async () => {
        const [, body = ''] = (await issuer.token(GITHUB_CLAIMS)).split('.');
        const key = await importJWK(issuer.key.shown, issuer.key.alg, { extractable: true });
        const pem = await exportSPKI(key as CryptoKey);
        const head = `${part({ alg: 'HS256', kid: issuer.key.kid })}.${body}`;
        return `${head}.${createHmac('sha256', pem).update(head).digest('base64url')}`;
      },
      'algorithm',
    ],
    'whose claims were changed': [
      async () => {
        const [head, , end] = (await issuer.token(GITHUB_CLAIMS)).split('.');
        const claims = { iss: issuer.url, ...GITHUB_CLAIMS, exp: now / 1_000 + 60, actor: 'ana' };
        return `${head}.${part(claims)}.${end}`;
      },
      'signature',
    ],
    'of another issuer with the same key id': [
      async () => {
        const other = await startIssuer({ kid: issuer.key.kid });
        try {
          return await issuer.token(GITHUB_CLAIMS, { key: other.key });
        } finally {
          await other[Symbol.asyncDispose]();
        }
      },
      'signature',
    ],
    'of an issuer that no source names': [
      () => issuer.token(GITHUB_CLAIMS, { issuer: 'https://elsewhere.invalid' }),
      'issuer',
    ],
    'of a foreign repository with the right branch': [
      () => issuer.token({ ...GITHUB_CLAIMS, repository: 'mallory/shop' }),
      'claims: repository',
    ],
    'of another branch': [
      () => issuer.token({ ...GITHUB_CLAIMS, ref: 'refs/heads/dev' }),
      'claims: ref',
    ],
    'for another audience': [() => issuer.token({ ...GITHUB_CLAIMS, aud: 'cloud' }), 'audience'],
    'that has ended': [() => issuer.token(GITHUB_CLAIMS, { ends: -61 }), 'ended'],
    'that is not valid yet': [
      () => issuer.token(GITHUB_CLAIMS, { begins: 90, ends: 600 }),
      'not-yet',
    ],
    'that is good for longer than a day': [
      () => issuer.token(GITHUB_CLAIMS, { ends: DAY_S + 61 }),
      'life',
    ],
    'that is good for twenty years': [
      () => issuer.token(GITHUB_CLAIMS, { ends: 20 * 365 * DAY_S }),
      'life',
    ],
    'that is good for twenty years, and was made nineteen years ago': [
      () => issuer.token(GITHUB_CLAIMS, { made: -19 * 365 * DAY_S, ends: 60 }),
      'life',
    ],
    'without an end': [() => issuer.token(GITHUB_CLAIMS, { ends: null }), 'life'],
    'without a subject': [
      async () => {
        const { sub: _, ...claims } = GITHUB_CLAIMS;
        return issuer.token(claims);
      },
      'subject',
    ],
    'without a key id': [() => issuer.token(GITHUB_CLAIMS, { header: { kid: undefined } }), 'key'],
    'that is rubbish': [async () => 'eyJhbGciOiJFUzI1NiJ9.e30.AAAA', 'malformed'],
    'that is rubbish in the form of a token': [async () => 'a.b.c', 'malformed'],
    'that is longer than 8 KiB': [
      () => issuer.token({ ...GITHUB_CLAIMS, more: 'x'.repeat(8_192) }),
      'too-long',
    ],
  };

  it.each(Object.entries(cases))('%s', async (_name, [tokenOf, said]) => {
    const callers = callersOf([sourceOf('shop')]);
    const [result, claims] = said.split(': ');
    const found = await foundBy(callers, await tokenOf());
    expect(found).toMatch(/^401 /);
    if (claims !== undefined) expect(found).toMatch(new RegExp(`: ${claims}$`));
    expect(results).toEqual([result]);
  });
});

it('a minute between the clocks of the issuer and of Gatepost does no harm', async () => {
  const callers = callersOf([sourceOf('shop')]);
  expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS, { ends: -50 }))).toBe('shop');
  expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS, { begins: 50 }))).toBe('shop');
});

describe('a token that matches two sources', () => {
  const two = () => [sourceOf('one'), sourceOf('two', { claims: { repository: ['acme/*'] } })];

  it('is refused, whatever their order', async () => {
    const token = await issuer.token(GITHUB_CLAIMS);
    const said = expect.stringMatching(/^401 .*several sources/);
    expect(await foundBy(callersOf(two()), token)).toEqual(said);
    expect(await foundBy(callersOf(two().reverse()), token)).toEqual(said);
  });

  it('is that of the source which the request names', async () => {
    const token = await issuer.token(GITHUB_CLAIMS);
    const callers = callersOf(two());
    expect(await foundBy(callers, token, 'one')).toBe('one');
    expect(await foundBy(callers, token, 'two')).toBe('two');
    expect(await foundBy(callers, token, 'three')).toMatch(/^401 .*Gatepost-Source/);
  });

  it('that only one of them takes is that one’s', async () => {
    const token = await issuer.token({ ...GITHUB_CLAIMS, ref: 'refs/heads/dev' });
    expect(await foundBy(callersOf(two()), token)).toBe('two');
    expect(await foundBy(callersOf(two()), token, 'one')).toMatch(/^401 .*claims/);
  });
});

describe('the keys of an issuer', () => {
  it('are fetched once for many requests', async () => {
    const callers = callersOf([sourceOf('shop'), sourceOf('other', { audience: 'other' })]);
    const tokens = await Promise.all(Array.from({ length: 9 }, () => issuer.token(GITHUB_CLAIMS)));
    const found = await Promise.all(tokens.map((token) => foundBy(callers, token)));
    expect(new Set(found)).toEqual(new Set(['shop']));
    expect(issuer.asked).toEqual({ discovery: 1, keys: 1 });
  });

  it('are fetched again for a new one, at once, and then at most once a minute', async () => {
    const callers = callersOf([sourceOf('shop')]);
    expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS))).toBe('shop');
    tick += 1_000;
    await issuer.rotate();
    expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS))).toBe('shop');
    expect(issuer.asked.keys).toBe(2);
    tick += 1_000;
    await issuer.rotate();
    const token = await issuer.token(GITHUB_CLAIMS);
    expect(await foundBy(callers, token)).toBe('503 59');
    tick += 30_000;
    expect(await foundBy(callers, token)).toBe('503 29');
    expect(issuer.asked.keys).toBe(2);
    tick += 30_000;
    expect(await foundBy(callers, token)).toBe('shop');
    expect(issuer.asked.keys).toBe(3);
    expect(alerts).toEqual([]);
  });

  it('that it does not have, according to keys that were fetched after the token came, are refused', async () => {
    const callers = callersOf([sourceOf('shop')]);
    const other = await startIssuer();
    const forged = await issuer.token(GITHUB_CLAIMS, { key: other.key });
    await other[Symbol.asyncDispose]();
    expect(await foundBy(callers, forged)).toMatch(/^401 .*does not publish/);
    tick += 1_000;
    expect(await foundBy(callers, forged)).toMatch(/^401 .*does not publish/);
    expect(issuer.asked.keys).toBe(2);
    tick += 1_000;
    expect(await foundBy(callers, forged)).toBe('503 59');
    // Whoever sends such tokens does not keep others out.
    expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS))).toBe('shop');
    expect(issuer.asked.keys).toBe(2);
  });

  it('of several kinds are good, and one that was taken back no longer, ten minutes later', async () => {
    const callers = callersOf([sourceOf('shop')]);
    const before = await issuer.token(GITHUB_CLAIMS, { ends: 3_600 });
    await issuer.rotate({ alg: 'RS256' });
    expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS))).toBe('shop');
    expect(await foundBy(callers, before)).toBe('shop');
    await issuer.rotate({ also: false, alg: 'EdDSA' });
    tick += 10 * MINUTE_MS;
    expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS))).toBe('shop');
    expect(await foundBy(callers, before)).toBe(
      '401 The identity token is signed with a key that its issuer does not publish',
    );
  });

  it('stay good for an hour while the issuer fails, and not longer', async () => {
    const callers = callersOf([sourceOf('shop')]);
    const token = await issuer.token(GITHUB_CLAIMS, { ends: 7_200 });
    expect(await foundBy(callers, token)).toBe('shop');
    issuer.mood = 'fails';
    tick += 59 * MINUTE_MS;
    expect(await foundBy(callers, token)).toBe('shop');
    tick += MINUTE_MS;
    expect(await foundBy(callers, token)).toMatch(/^503 /);
    issuer.mood = 'well';
    tick += 10_000;
    expect(await foundBy(callers, token)).toBe('shop');
  });

  it.each(['rubbish', 'redirects', 'fails', 'other-name', 'no-keys'] as const)(
    'of an issuer that is in the mood %s cannot be had: 503, then an alert, never through',
    async (mood) => {
      const callers = callersOf([sourceOf('shop')]);
      issuer.mood = mood;
      const token = await issuer.token(GITHUB_CLAIMS);
      expect(await foundBy(callers, token)).toBe('503 10');
      expect(alerts).toEqual([]);
      // Not asked again by each request.
      expect(await foundBy(callers, token)).toBe('503 10');
      expect(issuer.asked.discovery).toBe(1);
      tick += 10_000;
      expect(await foundBy(callers, token)).toBe('503 10');
      const { host } = new URL(issuer.url);
      expect(alerts.map(({ about }) => about)).toEqual([`sources.keys.${host}`]);
      expect(results).toEqual(['unavailable', 'unavailable', 'unavailable']);
    },
  );

  it('of an issuer that hangs cannot be had, and nobody waits longer than for one try', async () => {
    const waits: number[] = [];
    const timers = {
      ...systemTimers,
      deadline(ms: number) {
        waits.push(ms);
        return AbortSignal.timeout(20);
      },
    };
    issuer.mood = 'hangs';
    const callers = createCallers({
      sources: [sourceOf('shop')],
      keys: KEYS,
      connect: createConnections,
      clock: { now: () => now, monotonic: () => tick },
      timers,
      onToken: () => {},
      onTrouble: (alert) => void alerts.push(alert),
    });
    made.push(callers);
    const token = await issuer.token(GITHUB_CLAIMS);
    const all = await Promise.all([1, 2, 3].map(() => foundBy(callers, token)));
    expect(all).toEqual(['503 10', '503 10', '503 10']);
    expect(waits).toEqual([5_000]);
  });

  it('are read from a file instead, if one is named', async () => {
    const path = join(tmpdir(), `gatepost-keys-${process.pid}.json`);
    await writeFile(path, JSON.stringify({ keys: issuer.published.map(({ shown }) => shown) }));
    const callers = callersOf([sourceOf('shop', { jwksFile: path })]);
    expect(await foundBy(callers, await issuer.token(GITHUB_CLAIMS))).toBe('shop');
    expect(issuer.asked).toEqual({ discovery: 0, keys: 0 });
    const missing = callersOf([sourceOf('shop', { jwksFile: `${path}.not` })]);
    expect(await foundBy(missing, await issuer.token(GITHUB_CLAIMS))).toBe('503 10');
  });
});

describe('the key to a request', () => {
  const two = () => [sourceOf('one'), sourceOf('two')];

  it('opens this request alone, for its source, at every replica', async () => {
    const callers = callersOf(two());
    const [one, two_] = two();
    if (one === undefined || two_ === undefined) throw new Error('two sources');
    const key = callers.requestKey(two_, '0-abc') ?? '';
    expect(key).toMatch(/^gpk_[\w-]{43}$/);
    expect(callersOf(two()).requestKey(two_, '0-abc')).toBe(key);
    expect(callers.requestKey(one, '0-abc')).not.toBe(key);
    expect(await foundBy(callers, key, undefined, '0-abc')).toBe('two');
    expect(await foundBy(callersOf(two()), key, 'two', '0-abc')).toBe('two');
    const refused = '401 This request key is not the key to this request';
    expect(await foundBy(callers, key, undefined, '0-abd')).toBe(refused);
    expect(await foundBy(callers, key)).toBe(refused);
    expect(await foundBy(callers, `${key}A`, undefined, '0-abc')).toBe(refused);
    expect(await foundBy(callers, 'gpk_', undefined, '0-abc')).toBe(refused);
    expect(await foundBy(callers, key, 'one', '0-abc')).toMatch(/^401 /);
  });

  it('stays good while the encryption keys are rotated, and no longer', async () => {
    const [source] = two();
    if (source === undefined) throw new Error('a source');
    const key = callersOf(two()).requestKey(source, '0-abc') ?? '';
    const next = { id: 'k2', key: Buffer.alloc(32, 8) };
    expect(await foundBy(callersOf(two(), [next, ...KEYS]), key, undefined, '0-abc')).toBe('one');
    expect(await foundBy(callersOf(two(), [next]), key, undefined, '0-abc')).toMatch(/^401 /);
  });

  it('is given for no other kind of source', async () => {
    const callers = callersOf(two());
    expect(
      callers.requestKey({ ...sourceOf('x'), auth: { kind: 'bearer' } }, '0-abc'),
    ).toBeUndefined();
  });
});
