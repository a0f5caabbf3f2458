import { expect, vi } from 'vitest';
import type { Config, Source } from '../../src/core/config/config.ts';
import { systemClock } from '../../src/core/lib/clock.ts';
import { undocumentedIn } from '../support/documented.ts';
import { DEPLOYS, listing } from '../support/world.ts';
import { ANA, BEN, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

interface Call {
  readonly method?: 'GET' | 'POST';
  readonly body?: unknown;
  readonly secret?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly body: Record<string, unknown>;
  readonly headers: Headers;
}

async function call({ app, sandbox }: Stage, path: string, given: Call = {}): Promise<Answered> {
  const { method = 'POST', body, secret = sandbox.credentials.intakeSecret, headers } = given;
  const answer = await fetch(`${app.url}/v1/gates/${path}`, {
    method,
    headers: { ...(secret !== null && { authorization: `Bearer ${secret}` }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const { status, headers: received } = answer;
  const value = JSON.parse(text);
  expect(status >= 200 && status < 300).toBe(value.status === 'approved');
  return { status, text, body: value, headers: received };
}

/** The message of the gate that was asked last. */
async function messageOf(stage: Stage, { body }: Answered): Promise<string> {
  const id = String(body.id);
  const { workspace } = stage.sandbox;
  const found = await stage.sandbox.until(
    () => workspace.messages(DEPLOYS).find((each) => JSON.stringify(each.metadata).includes(id)),
    { what: 'the message of the gate' },
  );
  return found.ts;
}

/** A clock that can be moved on. */
function movingClock() {
  let aheadMs = 0;
  return {
    clock: { ...systemClock, now: () => systemClock.now() + aheadMs },
    pass(ms: number) {
      aheadMs += ms;
    },
  };
}

const MINUTE = 60_000;

story(
  'gate-address nothing-twice',
  'the first call asks, every further one answers, and 200 is an approval alone',
  async () => {
    await using stage = await startStage();
    const body = { name: 'shop', checksum: 'abc', phase: 'waiting' };
    const path = 'shop?by=/name,/checksum&show=/name,/checksum';
    const first = await call(stage, path, { body });
    expect(first).toMatchObject({ status: 503, body: { status: 'waiting' } });
    expect(first.headers.get('retry-after')).toBe('5');
    expect(first.headers.get('cache-control')).toBe('no-store');
    // Such callers send phases and counters.
    const second = await call(stage, path, { body: { ...body, phase: 'still waiting', tries: 2 } });
    expect(second.body.id).toBe(first.body.id);
    const ts = await messageOf(stage, first);
    expect(stage.read(ts)).toContain('/checksum: "abc"');
    expect(stage.read(ts)).not.toContain('waiting"');
    const waiting = call(stage, `${path}&wait=50`, { body });
    await stage.click(ANA, ts, 'Approve');
    expect(await waiting).toMatchObject({ status: 200, body: { status: 'approved', by: [ANA] } });
    expect((await call(stage, path, { body })).status).toBe(200);
    // Another attempt is asked anew.
    const other = await call(stage, path, { body: { ...body, checksum: 'def' } });
    expect(other).toMatchObject({ status: 503, body: { status: 'waiting' } });
    expect(other.body.id).not.toBe(first.body.id);
    await messageOf(stage, other);
  },
);

story(
  'gate-address',
  'the same attempt with other content is 409, and nobody is asked about it',
  async () => {
    await using stage = await startStage();
    const first = await call(stage, 'shop?attempt=7', { body: { version: '4.1' } });
    const ts = await messageOf(stage, first);
    const other = await call(stage, 'shop?attempt=7', { body: { version: '4.2' } });
    expect(other).toMatchObject({ status: 409, body: { status: 'changed' } });
    expect(
      await call(stage, 'shop?attempt=7&title=Else', { body: { version: '4.1' } }),
    ).toMatchObject({ status: 409 });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    expect((await call(stage, 'shop?attempt=7', { body: { version: '4.2' } })).status).toBe(409);
    expect((await call(stage, 'shop?attempt=7', { body: { version: '4.1' } })).status).toBe(200);
  },
);

story(
  'gate-address nobody-decides-who-may-not',
  'a rejection, a withdrawal and the end of its time are no approval',
  async () => {
    const { clock, pass } = movingClock();
    await using stage = await startStage({ clock, config: listing });
    const rejected = await call(stage, 'shop?attempt=1');
    const ts = await messageOf(stage, rejected);
    await stage.click(BEN, ts, 'Reject');
    await stage.until(ts, /Rejected by/);
    expect(await call(stage, 'shop?attempt=1')).toMatchObject({
      status: 409,
      body: { status: 'rejected', by: [BEN], detail: expect.stringMatching(/^Rejected by Ben/) },
    });
    const withdrawn = await call(stage, 'shop?attempt=2');
    const { app, sandbox } = stage;
    await fetch(`${app.url}/v1/approvals/${withdrawn.body.id}/withdraw`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.credentials.intakeSecret}` },
    });
    expect(await call(stage, 'shop?attempt=2')).toMatchObject({
      status: 409,
      body: { status: 'withdrawn' },
    });
    const late = await call(stage, 'shop?attempt=3&expires=20m');
    await messageOf(stage, late);
    pass(21 * MINUTE);
    await vi.waitFor(
      async () =>
        expect(await call(stage, 'shop?attempt=3&expires=20m')).toMatchObject({
          status: 410,
          body: { status: 'timed-out' },
        }),
      { timeout: 60_000, interval: 100 },
    );
  },
);

story(
  'gate-address nothing-twice',
  'an approval is good for its hour; ended and silent, the next call asks anew',
  async () => {
    const { clock, pass } = movingClock();
    await using stage = await startStage({ clock, config: listing });
    const path = 'shop?attempt=1&for=30m';
    const first = await call(stage, path);
    const ts = await messageOf(stage, first);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    pass(29 * MINUTE);
    expect((await call(stage, path)).status).toBe(200);
    pass(2 * MINUTE);
    expect(await call(stage, path)).toMatchObject({ status: 410, body: { status: 'over' } });
    // Somebody still calls for it.
    for (let minutes = 0; minutes < 20; minutes += 9) {
      pass(9 * MINUTE);
      expect(await call(stage, path)).toMatchObject({ status: 410, body: { id: first.body.id } });
    }
    pass(11 * MINUTE);
    // A look asks nobody, and changes nothing.
    expect(await call(stage, path, { method: 'GET' })).toMatchObject({ status: 410 });
    const again = await call(stage, path);
    expect(again).toMatchObject({ status: 503, body: { status: 'waiting' } });
    expect(again.body.id).not.toBe(first.body.id);
    const [one, other] = await Promise.all([call(stage, path), call(stage, path)]);
    expect([one.body.id, other.body.id]).toEqual([again.body.id, again.body.id]);
    expect(await messageOf(stage, again)).not.toBe(ts);
  },
);

story(
  'gate-address asker-known nobody-decides-who-may-not',
  'a requester is known in whatever form mail programs write the address, and cannot approve',
  async () => {
    await using stage = await startStage();
    for (const [attempt, user] of [
      'Ana <ana@example.com>',
      'mailto:ana@example.com',
      ' U0ANA ',
    ].entries()) {
      const path = `shop?attempt=${attempt}&requested-by=/user&title=Gate%20${attempt}`;
      const ts = await messageOf(stage, await call(stage, path, { body: { user } }));
      const before = stage.told(ANA).length;
      await stage.click(ANA, ts, 'Approve');
      await stage.sandbox.until(() => stage.told(ANA).length > before, { what: 'the refusal' });
      expect(stage.told(ANA).at(-1)).toContain('You asked for');
      expect((await call(stage, path, { body: { user } })).status).toBe(503);
    }
  },
);

story('gate-address', 'says if only those who ask for it could decide', async () => {
  const reviewers = { users: [ANA, BEN], groups: [], channel: false };
  await using stage = await startStage({ route: { reviewers } });
  await call(stage, 'shop?attempt=1&requested-by=U0ANA');
  await call(stage, 'shop?attempt=1&requested-by=U0BEN');
  await vi.waitFor(
    async () =>
      expect(await call(stage, 'shop?attempt=1', { method: 'GET' })).toMatchObject({
        status: 503,
        body: {
          status: 'blocked',
          detail: 'Only its requester can decide it: nobody else is asked.',
        },
      }),
    { timeout: 60_000 },
  );
});

story('gate-address', 'GET answers without asking, and knows only what was asked', async () => {
  await using stage = await startStage();
  expect((await call(stage, 'shop?attempt=1', { method: 'GET' })).status).toBe(404);
  const first = await call(stage, 'shop?attempt=1');
  expect(await call(stage, 'shop?attempt=1', { method: 'GET' })).toMatchObject({
    status: 503,
    body: { id: first.body.id },
  });
  expect((await call(stage, 'other?attempt=1', { method: 'GET' })).status).toBe(404);
});

story(
  'gate-address intake-authentication intake-rights intake-bad-input intake-documented',
  'strangers, wrong routes and bad input are refused, and nothing is asked',
  async () => {
    await using stage = await startStage();
    const { app } = stage;
    for (const [path, given, status] of [
      ['shop?attempt=1', { secret: null }, 401],
      ['shop?attempt=1', { secret: 'wrong' }, 401],
      ['shop', {}, 422],
      ['shop?attempt=1&route=elsewhere', {}, 403],
      ['shop?attempt=1', { body: '{' }, 422],
      ['shop?attempt=1', { body: `"${'x'.repeat(300_000)}"` }, 413],
      ['a%20b?attempt=1', {}, 422],
      ['secret-of-nobody-in-the-path-12345/shop?attempt=1', {}, 401],
    ] as const) {
      const answer = await call(stage, path, given);
      expect([path, answer.status]).toEqual([path, status]);
      expect(answer.headers.get('content-type')).toBe('application/problem+json');
    }
    expect(stage.sandbox.workspace.calls('chat.postMessage')).toEqual([]);
    const document = await (await fetch(`${app.url}/openapi.json`)).json();
    for (const [path, given, operation] of [
      ['shop?attempt=1', {}, 'callGate'],
      ['shop?attempt=1&title=Else', {}, 'callGate'],
      ['shop', {}, 'callGate'],
      ['shop?attempt=1', { method: 'GET' }, 'getGate'],
      ['shop?attempt=2', { method: 'GET' }, 'getGate'],
    ] as const) {
      const { status, text, headers } = await call(stage, path, given);
      const answer = { status, text, type: headers.get('content-type') };
      expect(undocumentedIn(document, operation, answer)).toEqual([]);
    }
  },
);

const PATH_SECRET = 'a-secret-that-is-long-enough-for-a-path';

function withPathSource(config: Config): Config {
  const [source] = config.sources;
  if (source === undefined) throw new Error('there is a default');
  const inPath: Source = {
    ...source,
    id: 'rollouts',
    auth: { kind: 'path' },
    secrets: [PATH_SECRET],
    kinds: ['gate'],
  };
  return { ...config, sources: [source, inPath] };
}

story(
  'gate-address intake-authentication no-token-shown',
  'a source with its secret in the path asks gates and nothing else, and the secret is nowhere',
  async () => {
    await using stage = await startStage({ config: withPathSource });
    const { app, log, stored, sandbox } = stage;
    const path = `${PATH_SECRET}/shop?attempt=1`;
    const first = await call(stage, path, { secret: null });
    expect(first).toMatchObject({ status: 503, body: { status: 'waiting' } });
    const ts = await messageOf(stage, first);
    // Another source has attempts of its own.
    expect((await call(stage, 'shop?attempt=1', { method: 'GET' })).status).toBe(404);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    expect((await call(stage, path, { secret: null })).status).toBe(200);
    for (const headers of [
      { authorization: `Bearer ${PATH_SECRET}` },
      { 'X-Webhook-Secret': PATH_SECRET },
    ]) {
      const asked = await fetch(`${app.url}/v1/approvals`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ key: 'k', title: 'T' }),
      });
      expect(asked.status).toBe(401);
      expect((await call(stage, 'shop?attempt=1', { secret: null, headers })).status).toBe(401);
    }
    expect((await call(stage, `${PATH_SECRET}x/shop?attempt=1`, { secret: null })).status).toBe(
      401,
    );
    // A source with a header has no way in by the path.
    const { intakeSecret } = sandbox.credentials;
    expect((await call(stage, `${intakeSecret}/shop?attempt=1`, { secret: null })).status).toBe(
      401,
    );
    const open = { 'x-forwarded-proto': 'http' };
    expect((await call(stage, path, { secret: null, headers: open })).status).toBe(403);
    const safe = { 'x-forwarded-proto': 'https' };
    expect((await call(stage, path, { secret: null, headers: safe })).status).toBe(200);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    const said = [
      ...log,
      metrics,
      JSON.stringify(stored),
      JSON.stringify(sandbox.workspace.messages(DEPLOYS)),
    ];
    expect(said.filter((text) => text.includes(PATH_SECRET))).toEqual([]);
  },
);
