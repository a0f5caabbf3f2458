import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Config } from '../../src/core/config/config.ts';
import { undocumentedIn } from '../support/documented.ts';
import { messageOf, OUTCOMES } from '../support/world.ts';
import { ANA, BEN, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

interface Sent {
  readonly body?: string;
  readonly secret?: string | null;
  readonly type?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Received {
  readonly status: number;
  readonly type: string | null;
  readonly text: string;
  readonly headers: Headers;
}

/** Sends what no well-behaved automation sends. */
async function send({ app, sandbox }: Stage, sent: Sent): Promise<Received> {
  const { body, secret = sandbox.credentials.intakeSecret, type = 'application/json' } = sent;
  const answer = await fetch(`${app.url}${sent.path ?? '/v1/approvals'}`, {
    method: sent.body === undefined ? 'GET' : 'POST',
    headers: {
      ...(secret !== null && { authorization: `Bearer ${secret}` }),
      ...(body !== undefined && { 'content-type': type }),
      ...sent.headers,
    },
    ...(body !== undefined && { body }),
  });
  const text = await answer.text();
  const { status, headers } = answer;
  return { status, type: headers.get('content-type'), text, headers };
}

/** An answer that is a problem with this status, and where it points. */
async function problemFor(stage: Stage, sent: Sent, status: number): Promise<string[]> {
  const answer = await send(stage, sent);
  expect(answer).toMatchObject({ status, type: 'application/problem+json' });
  const problem = JSON.parse(answer.text);
  expect(problem).toMatchObject({ status, title: expect.any(String) });
  const pointers = (problem.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);
  return [...new Set<string>(pointers)];
}

const GOOD = { token: 'a-token-of-no-approval', title: 'A request' };

story('intake-authentication', 'a request without the secret of a source is refused', async () => {
  await using stage = await startStage();
  const body = JSON.stringify(GOOD);
  const right = stage.sandbox.credentials.intakeSecret;
  for (const secret of [null, '', 'wrong', `${right}x`, right.slice(1), right.toUpperCase()]) {
    await problemFor(stage, { body, secret }, 401);
  }
  const { headers } = await send(stage, { body, secret: null });
  expect(headers.get('www-authenticate')).toBe('Bearer');
  await problemFor(stage, { path: '/v1/approvals/some-id', secret: null }, 401);
  await problemFor(stage, { path: '/v1/approvals/some-id/check', body: '', secret: 'wrong' }, 401);
  expect(stage.sandbox.workspace.calls('chat.postMessage')).toEqual([]);
});

story(
  'intake-authentication',
  'during a rotation the old and the new secret are accepted',
  async () => {
    await using stage = await startStage({
      env: { GATEPOST_INTAKE_SECRET: 'the-new-one,the-old-one' },
    });
    for (const secret of ['the-new-one', 'the-old-one']) {
      const { token } = stage.sandbox.service.createApproval();
      const answer = await send(stage, { body: JSON.stringify({ token }), secret });
      expect(answer.status).toBe(202);
    }
  },
);

const KEY = Buffer.alloc(24, 7);

/** The default source, set to sign; and one with a header of its own. */
function signingSource(config: Config): Config {
  const [source] = config.sources;
  if (source === undefined) throw new Error('there is a default');
  const secrets = [`whsec_${KEY.toString('base64')}`];
  return {
    ...config,
    sources: [
      { ...source, auth: { kind: 'standard-webhooks' }, secrets },
      { ...source, id: 'builds', auth: { kind: 'header', name: 'X-Build-Secret' } },
    ],
  };
}

/** As Standard Webhooks says. */
function signed(body: string, at = Math.floor(Date.now() / 1000)) {
  const hmac = createHmac('sha256', KEY).update(`msg_1.${at}.${body}`);
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1,${hmac.digest('base64')}`,
  };
}

story(
  'intake-authentication intake-own-records',
  'a source that signs is accepted only with a valid signature',
  async () => {
    await using stage = await startStage({ config: signingSource });
    const { token } = stage.sandbox.service.createApproval();
    const body = JSON.stringify({ token, title: 'Größer', fields: { Version: '4.2' } });
    await problemFor(stage, { body }, 401);
    await problemFor(stage, { body, secret: `whsec_${KEY.toString('base64')}` }, 401);
    await problemFor(stage, { body: `${body} `, secret: null, headers: signed(body) }, 401);
    await problemFor(stage, { body, secret: null, headers: signed(body, 1_700_000_000) }, 401);
    const asked = await send(stage, { body, secret: null, headers: signed(body) });
    expect(asked.status).toBe(202);
    const path = JSON.parse(asked.text).url;
    const own = { secret: null, headers: signed('') };
    expect(await send(stage, { path, ...own })).toMatchObject({ status: 200 });
    const check = await send(stage, { path: `${path}/check`, body: '', ...own });
    expect(check.status).toBe(202);
    await problemFor(stage, { path: `${path}/check`, body: '{}', ...own }, 401);
    const secret = stage.sandbox.credentials.intakeSecret;
    const others = { secret: null, headers: { 'X-Build-Secret': secret } };
    await problemFor(stage, { path, ...others }, 404);
    await problemFor(stage, { path, secret }, 401);
  },
);

story(
  'intake-bad-input',
  'requests are checked in this order: size, secret, media type, JSON',
  async () => {
    await using stage = await startStage();
    const large = JSON.stringify({ ...GOOD, message: 'x'.repeat(512 * 1024) });
    await problemFor(stage, { body: large, secret: null }, 413);
    await problemFor(stage, { body: '{', secret: null, type: 'text/plain' }, 401);
    await problemFor(stage, { body: '{', type: 'text/plain' }, 415);
    await problemFor(stage, { body: JSON.stringify(GOOD), type: 'text/plain' }, 415);
    await problemFor(stage, { body: '{' }, 400);
    await problemFor(stage, { body: '' }, 400);
    expect(await problemFor(stage, { body: '[]' }, 422)).toEqual(['']);
  },
);

/** As some libraries write it: each character that is no ASCII escaped. */
const escaped = (body: object) =>
  JSON.stringify(body).replace(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

story(
  'intake-bad-input message-overflow',
  'texts up to the limit are accepted in any script, and longer ones are refused with their length',
  async () => {
    await using stage = await startStage();
    let asked = 0;
    const gate = (members: object) => ({ key: `long/${++asked}`, title: 'Long', ...members });
    const message = 'm'.repeat(60_000);
    for (const body of [
      JSON.stringify(gate({ change: '漢'.repeat(30_000) })),
      JSON.stringify(gate({ change: '"'.repeat(35_000) })),
      JSON.stringify(gate({ change: '\u{10400}'.repeat(40_000), message })),
      escaped(gate({ change: '\u{10400}'.repeat(40_000) })),
      escaped(gate({ message: '漢'.repeat(20_000) })),
    ]) {
      expect(await send(stage, { body })).toMatchObject({ status: 202 });
    }
    const said = async (members: object) => {
      const { status, text } = await send(stage, { body: JSON.stringify(gate(members)) });
      const { detail, errors } = JSON.parse(text);
      return { status, detail, errors };
    };
    expect(await said({ change: 'x'.repeat(75_000) })).toEqual({
      status: 422,
      errors: [{ pointer: '/change', detail: 'has 75,000 characters; 40,000 are possible' }],
    });
    expect(await said({ change: '漢', message: 'm'.repeat(70_000) })).toEqual({
      status: 413,
      detail: 'Beside change, the body (mostly message) has 70,044 bytes; 65,536 are possible',
    });
    expect(await said({ change: '漢'.repeat(200_000) })).toEqual({
      status: 413,
      detail: 'The body has 600,043 bytes; 524,288 are possible',
    });
    const path = '/v1/tasks';
    const body = JSON.stringify({ id: 'x'.repeat(70_000) });
    expect((await send(stage, { path, body })).text).toMatch(/The body has 70,009 bytes; 65,536 /);
  },
);

const BAD_MEMBERS: readonly (readonly [pointer: string, body: object])[] = [
  ['/token', { title: 'No token' }],
  ['/token', { token: '' }],
  ['/token', { token: ' ' }],
  ['/token', { token: '..' }],
  ['/token', { token: 'x'.repeat(2_049) }],
  ['/token', { token: '\ud800' }],
  ['/key', { ...GOOD, key: 'deploy/7' }],
  ['/key', { title: 'A request', key: '' }],
  ['/key', { title: 'A request', key: 'deploy\n7' }],
  ['/expiresAt', { title: 'A request', key: 'deploy/7', expiresAt: '2099-01-01T10:00:00Z' }],
  ['/title', { ...GOOD, title: '' }],
  ['/message', { ...GOOD, message: 7 }],
  ['/route', { ...GOOD, route: '' }],
  ['/channel', { ...GOOD, channel: 'deployments' }],
  ['/fields', { ...GOOD, fields: ['Version'] }],
  ['/fields/Version', { ...GOOD, fields: { Version: ['4.2'] } }],
  ['/fields/__proto__', { ...GOOD, fields: { Version: '4.2', ['__proto__']: '4.3' } }],
  ['/fields/[token]', { ...GOOD, fields: { [GOOD.token]: [7] } }],
  ['/link', { ...GOOD, link: 'javascript:alert(1)' }],
  ['/requestedBy', { ...GOOD, requestedBy: {} }],
  ['/requestedBy/email', { ...GOOD, requestedBy: { email: 'ana' } }],
  ['/requestedBy/email', { ...GOOD, requestedBy: { email: `${GOOD.token}@example.com` } }],
  ['/requestedBy/slackUser', { ...GOOD, requestedBy: { slackUser: '@ana' } }],
  ['/requestedBy/phone', { ...GOOD, requestedBy: { name: 'Ana', phone: '1' } }],
  ['/reviewers/users/1', { ...GOOD, reviewers: { users: [ANA, 'ana'] } }],
  ['/reviewers/groups/0', { ...GOOD, reviewers: { groups: ['U0ANA'] } }],
  ['/quorum', { ...GOOD, quorum: 0 }],
  ['/quorum', { ...GOOD, quorum: 1.5 }],
  ['/expiresAt', { ...GOOD, expiresAt: 'tomorrow' }],
  ['/expiresAt', { ...GOOD, expiresAt: '2020-01-01T10:00:00Z' }],
  ['/change', { ...GOOD, change: '' }],
  ['/change', { ...GOOD, change: 'x'.repeat(40_001) }],
  ['/cutFrom', { ...GOOD, cutFrom: { lines: 3, sha256: 'a'.repeat(64) } }],
  ['/cutFrom/lines', { ...GOOD, change: 'a\nb', cutFrom: { lines: 2, sha256: 'a'.repeat(64) } }],
  ['/cutFrom/sha256', { ...GOOD, change: 'a', cutFrom: { lines: 2, sha256: 'A'.repeat(64) } }],
  ['/callback', { ...GOOD, callback: 'https://example.com' }],
];

story('intake-bad-input', 'each invalid member is pointed at', async () => {
  await using stage = await startStage();
  for (const [pointer, body] of BAD_MEMBERS) {
    const pointers = await problemFor(stage, { body: JSON.stringify(body) }, 422);
    expect({ body, pointers }).toEqual({ body, pointers: [pointer] });
  }
  expect(stage.sandbox.workspace.calls('chat.postMessage')).toEqual([]);
});

/** Values that do not fit their member; each holds the mark. */
function badValues(mark: string): Record<string, fc.Arbitrary<unknown>> {
  const words = fc
    .tuple(fc.string(), fc.string())
    .map(([before, after]) => `${before}${mark}${after}`);
  const wrongType = fc.oneof(
    words.map((text) => [text]),
    words.map((text) => ({ value: text })),
  );
  const noId = words.map((text) => text.toLowerCase());
  return {
    token: fc.oneof(
      wrongType,
      words.map((text) => text.padEnd(2_049, 'x')),
    ),
    title: wrongType,
    message: wrongType,
    route: fc.oneof(wrongType, words),
    channel: fc.oneof(wrongType, noId),
    fields: fc.oneof(
      words,
      words.map((text) => ({ Version: [text] })),
    ),
    link: fc.oneof(
      wrongType,
      words,
      words.map((text) => `ftp://example.com/${encodeURIComponent(text)}`),
    ),
    requestedBy: fc.oneof(
      words,
      noId.map((slackUser) => ({ slackUser })),
      words.map((text) => ({ email: `@${text}` })),
      words.map((text) => ({ name: [text] })),
    ),
    reviewers: fc.oneof(
      words,
      noId.map((id) => ({ users: [id] })),
      noId.map((id) => ({ groups: ['S0REL', id] })),
    ),
    quorum: fc.oneof(wrongType, words),
    expiresAt: fc.oneof(
      wrongType,
      words,
      words.map((text) => `2026-11-21T10:00:00Z${text}`),
    ),
    surplus: words,
  };
}

story('intake-no-echo no-token-shown', 'an error never repeats a value that was sent', async () => {
  await using stage = await startStage();
  const mark = 'zq7mark7qz';
  const good = fc.record({ token: fc.constant(`token-${mark}`), title: fc.constant(mark) });
  const values = badValues(mark);
  const bad = fc
    .subarray(Object.keys(values), { minLength: 1, maxLength: 3 })
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, values[name] ?? fc.constant(mark)]))),
    );
  const bodies = fc
    .tuple(good, bad)
    .map(([given, broken]) => JSON.stringify({ ...given, ...broken }));
  // Nothing that closes the object.
  const noJson = fc
    .string()
    .filter((text) => !text.includes('}'))
    .map((text) => `{"token": "${mark}" ${text}`);
  await fc.assert(
    fc.asyncProperty(fc.oneof({ weight: 9, arbitrary: bodies }, noJson), async (body) => {
      const answer = await send(stage, { body });
      expect([400, 403, 422]).toContain(answer.status);
      expect(answer.type).toBe('application/problem+json');
      expect(answer.text.toLowerCase()).not.toContain(mark);
    }),
    { numRuns: 300 },
  );
  for (const sent of [
    { body: '{}', secret: mark },
    { path: `/v1/approvals/${mark}` },
    { path: `/v1/approvals/${mark}/check`, body: '' },
    { path: `/${mark}`, body: '{}' },
    { body: '{}', type: `text/${mark}` },
  ]) {
    const answer = await send(stage, sent);
    expect([401, 404, 415]).toContain(answer.status);
    expect(answer.text).not.toContain(mark);
  }
  expect(stage.log.filter((line) => line.includes(mark))).toEqual([]);
});

/** Two routes, and a second source that may use one of them and a channel of its own. */
function twoSources(config: Config): Config {
  const [route] = config.routes;
  const [source] = config.sources;
  if (route === undefined || source === undefined) throw new Error('there is a default of both');
  const other = { ...route, name: 'other', outcomes: { ...route.outcomes, channel: null } };
  return {
    ...config,
    routes: [route, other],
    sources: [
      source,
      {
        id: 'team',
        auth: { kind: 'bearer' },
        secrets: ['secret-of-a-team'],
        routes: ['other'],
        channels: [OUTCOMES],
        kinds: ['approval'],
      },
    ],
  };
}

story('intake-rights', 'a source can use only its own routes and channels', async () => {
  await using stage = await startStage({ config: twoSources });
  const { workspace } = stage.sandbox;
  const asks = (more: object) => JSON.stringify({ ...GOOD, ...more });
  await problemFor(stage, { body: asks({ route: 'other' }) }, 403);
  const says = async (sent: Sent) => JSON.parse((await send(stage, sent)).text).detail;
  expect(await says({ body: asks({ route: 'other' }) })).toBe(
    'This source cannot use that route. Its routes: default',
  );
  expect(await says({ body: asks({ channel: 'C0NOBOT' }) })).toMatch(
    /^This source cannot use that channel\. Its channels on the route default: C0DEPLOYS/,
  );
  await problemFor(stage, { body: asks({ route: 'nowhere' }) }, 403);
  await problemFor(stage, { body: asks({ channel: OUTCOMES }) }, 403);
  const secret = 'secret-of-a-team';
  await problemFor(stage, { body: asks({ route: 'default' }), secret }, 403);
  await problemFor(stage, { body: asks({ channel: 'C0NOBOT' }), secret }, 403);
  expect(workspace.calls('chat.postMessage')).toEqual([]);
  const { token } = stage.sandbox.service.createApproval();
  const allowed = await send(stage, { body: asks({ token, channel: OUTCOMES }), secret });
  expect(allowed.status).toBe(202);
  const { id } = JSON.parse(allowed.text);
  await stage.sandbox.until(() => messageOf(workspace.messages(OUTCOMES), id));
});

story('intake-own-records', 'an approval is visible only to its own source', async () => {
  await using stage = await startStage({ config: twoSources });
  const { id, body } = await stage.ask();
  expect(body).toMatchObject({ url: `/v1/approvals/${id}` });
  const secret = 'secret-of-a-team';
  await problemFor(stage, { path: `/v1/approvals/${id}`, secret }, 404);
  await problemFor(stage, { path: `/v1/approvals/${id}/check`, body: '', secret }, 404);
  await problemFor(stage, { path: '/v1/approvals/unknown' }, 404);
  const same = JSON.stringify({ ...GOOD, token: stage.sandbox.service.approvals()[0]?.token });
  await problemFor(
    stage,
    { body: JSON.stringify({ ...JSON.parse(same), route: 'other' }), secret },
    409,
  );
  expect((await send(stage, { body: same })).status).toBe(200);
  const own = await send(stage, { path: `/v1/approvals/${id}` });
  expect(own.status).toBe(200);
  expect(JSON.parse(own.text)).toMatchObject({ id, status: 'PENDING', ballots: [] });
});

const byKey = (key: string) => `/v1/approvals?key=${encodeURIComponent(key)}`;

story('intake-own-records gate-own', 'a source finds its own gate by its key', async () => {
  const gates = (config: Config): Config => ({
    ...config,
    sources: config.sources.map((source) => ({ ...source, kinds: ['approval', 'gate'] as const })),
  });
  await using stage = await startStage({ config: (config) => gates(twoSources(config)) });
  const secret = 'secret-of-a-team';
  const keys = ['checkout/4711/deploy', 'a+b c&key=d#e?%2F', 'größer → 100 %', 'k'.repeat(200)];
  for (const key of keys) {
    const { id } = await stage.ask({ key, title: 'Deploy' });
    const found = await send(stage, { path: byKey(key) });
    expect(found.status, key).toBe(200);
    const asNamed = await send(stage, { path: `/v1/approvals/${id}` });
    // These may have become known in between.
    const { names: _, posting: __, permalink: ___, ...stable } = JSON.parse(asNamed.text);
    expect(JSON.parse(found.text)).toMatchObject(stable);
    await problemFor(stage, { path: byKey(key), secret }, 404);
    await problemFor(stage, { path: byKey(key), secret: 'wrong' }, 401);
  }
  // A blank in a query can be a plus.
  const spaced = await send(stage, { path: byKey('a+b c&key=d#e?%2F').replace('%20', '+') });
  expect(spaced.status).toBe(200);
  // To another source, a key that exists is the same as one that nobody has.
  const [foreign, none] = await Promise.all(
    [keys[0] ?? '', 'nobody'].map((key) => send(stage, { path: byKey(key), secret })),
  );
  expect(foreign?.text).toBe(none?.text);
  // The same key of two sources is two requests, and each finds its own.
  const own = await send(stage, {
    body: JSON.stringify({ key: keys[0], title: 'Deploy', route: 'other' }),
    secret,
  });
  expect(own.status).toBe(202);
  const theirs = await send(stage, { path: byKey(keys[0] ?? ''), secret });
  expect(JSON.parse(theirs.text).id).toBe(JSON.parse(own.text).id);
  const { text } = await send(stage, { path: byKey(keys[0] ?? '') });
  expect(JSON.parse(text).id).not.toBe(JSON.parse(own.text).id);
});

story('intake-own-records', 'a query that names no key, or two, is refused', async () => {
  await using stage = await startStage();
  await stage.ask({ key: 'a', title: 'Deploy' });
  for (const query of ['', '?', '?key', '?key=', '?key=+', '?key=a&key=a', '?key=a%00', '?id=a']) {
    await problemFor(stage, { path: `/v1/approvals${query}` }, 422);
  }
  await problemFor(stage, { path: byKey('k'.repeat(201)) }, 422);
  await problemFor(stage, { path: `${byKey('a')}&wait=long` }, 422);
  // The token of an approval is no key.
  const { token } = await stage.ask();
  await problemFor(stage, { path: byKey(token) }, 404);
});

story('intake-own-records', 'whoever finds a gate by its key can wait for its end', async () => {
  await using stage = await startStage();
  const { ts } = await stage.ask({ key: 'a', title: 'Deploy' });
  const waiting = send(stage, { path: `${byKey('a')}&wait=50` });
  await stage.click(ANA, ts, 'Approve');
  expect(JSON.parse((await waiting).text)).toMatchObject({ status: 'APPROVED', final: true });
});

/** The default source sends work items as well. */
function alsoTasks(config: Config): Config {
  const sources = config.sources.map((source) => ({
    ...source,
    kinds: ['approval', 'task', 'catalogue'] as const,
    projects: ['p1'],
  }));
  return { ...config, sources };
}

story('intake-documented', 'every response matches /openapi.json', async () => {
  await using stage = await startStage({ config: alsoTasks, route: { quorum: 2 } });
  const documentation = JSON.parse((await send(stage, { path: '/openapi.json' })).text);
  const answer = async (operation: string, sent: Sent, status: number) => {
    const { text, ...received } = await send(stage, sent);
    expect(received.status, operation).toBe(status);
    expect(undocumentedIn(documentation, operation, { ...received, text }), operation).toEqual([]);
    return JSON.parse(text);
  };
  const post = (body: object, status: number, more: Sent = {}) =>
    answer('askApproval', { body: JSON.stringify(body), ...more }, status);
  const { id, ts, token } = await stage.ask();
  const path = `/v1/approvals/${id}`;
  await post({ token }, 200);
  const { token: other } = stage.sandbox.service.createApproval();
  const { url: otherPath } = await post({ token: other }, 202);
  await answer('getApproval', { path }, 200);
  await answer('checkApproval', { path: `${path}/check`, body: '' }, 202);
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals/);
  await answer('getApproval', { path }, 200);
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, /Approved by/);
  const decided = await answer('getApproval', { path }, 200);
  expect(decided).toMatchObject({ approvals: 2, outcome: { status: 'APPROVED', certain: true } });
  await answer('withdrawApproval', { path: `${otherPath}/withdraw`, body: '' }, 202);
  const item = { id: 'item-1', status: 'open', updatedAt: '2030-01-02T10:00:00Z' };
  const older = { ...item, updatedAt: '2030-01-01T10:00:00Z' };
  const tasks = (body: object, status: number) =>
    answer('reportTask', { path: '/v1/tasks', body: JSON.stringify(body) }, status);
  await tasks({ ...item, subItems: [{ id: 'item-2', status: 'open' }] }, 202);
  await tasks(older, 200);
  await tasks({ ...item, channel: 'C0NOBOT' }, 403);
  await tasks({}, 422);
  const catalogue = (body: object, status: number) =>
    answer('reportCatalogue', { path: '/v1/catalogue', body: JSON.stringify(body) }, status);
  const project = { id: 'p1', name: 'Platform', statuses: null };
  await catalogue({ readAt: '2026-01-02T10:00:00Z', project }, 202);
  await catalogue({ readAt: '2026-01-01T10:00:00Z', project }, 200);
  await catalogue({ readAt: '2026-01-01T10:00:00Z', project: { ...project, id: 'p2' } }, 403);
  await catalogue({ project }, 422);
  await post(GOOD, 401, { secret: 'wrong' });
  await post({ ...GOOD, route: 'nowhere' }, 403);
  await post({ ...GOOD, message: 'x'.repeat(64 * 1024) }, 413);
  await post(GOOD, 415, { type: 'text/plain' });
  await post([], 422);
  await answer('askApproval', { body: '{' }, 400);
  await answer('getApproval', { path: '/v1/approvals/unknown' }, 404);
  await answer('findApproval', { path: byKey('unknown') }, 404);
  await answer('findApproval', { path: byKey('') }, 422);
});
