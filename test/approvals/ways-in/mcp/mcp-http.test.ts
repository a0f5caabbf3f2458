import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { MOST_AT_ONCE } from '../../../../src/core/http/from-source.ts';
import { connectAgent, GENERATIONS, type Generation } from '../../../support/mcp-clients.ts';
import { withResolvers } from '../../../support/with-resolvers.ts';
import { DEPLOYS, listing, messageOf, startWorld, type World } from '../../../support/world.ts';

/** Agents ask over HTTP, with the official clients of both generations. */

let world: World;
beforeAll(async () => {
  world = await startWorld({ config: listing });
});
afterAll(() => world[Symbol.asyncDispose]());

function authorization(): string {
  return `Bearer ${world.sandbox.credentials.intakeSecret}`;
}

function agent(of: Generation, headers: Readonly<Record<string, string>> = {}) {
  const all = { authorization: authorization(), ...headers };
  return connectAgent(of, { url: world.app.url, headers: all });
}

let count = 0;
/** What nobody has asked for before. */
function deploy(more = {}) {
  count += 1;
  return {
    title: `Apply plan ${count}`,
    change: `terraform apply ${count}`,
    reviewers: ['U0ANA'],
    ...more,
  };
}

/** The message of a request, by what its calls wait with. */
async function messageFor(handle: unknown): Promise<string> {
  const [id = ''] = String(handle).split('.');
  const { workspace } = world.sandbox;
  return (await world.sandbox.until(() => messageOf(workspace.messages(DEPLOYS), id))).ts;
}

describe.each(GENERATIONS)('a client of the %s generation', (of) => {
  test('lists the tools, asks, waits with progress, and gets the approval', async () => {
    await using one = await agent(of);
    expect(await one.tools()).toEqual(['request_approval', 'wait_for_approval', 'withdraw']);
    const asked = await one.call('request_approval', deploy({ reviewers: ['ana@example.com'] }));
    expect(asked).toMatchObject({
      isError: false,
      facts: { status: 'PENDING', approved: false, reviewers: { users: ['U0ANA'] } },
    });
    expect(asked.facts.key).toMatch(/^agent\/[0-9a-f]{64}\/1$/);
    const ts = await messageFor(asked.facts.id);
    const heard: string[] = [];
    const { promise: told, resolve } = withResolvers();
    const waiting = one.call(
      'wait_for_approval',
      { id: asked.facts.id },
      {
        onprogress({ message = '' }) {
          heard.push(message);
          resolve();
        },
      },
    );
    await told;
    await world.click('U0ANA', ts, 'Approve');
    const approved = await waiting;
    expect(approved).toMatchObject({
      isError: false,
      facts: { id: asked.facts.id, status: 'APPROVED', approved: true, by: ['U0ANA'] },
    });
    expect(heard[0]).toMatch(/^Waiting for Ana: http/);
    expect(await world.until(ts, /The agent got the approval/)).toContain('<@U0ANA>');
    // Its answer may be lost.
    const again = await one.call('wait_for_approval', { id: asked.facts.id });
    expect(again.facts).toMatchObject({ approved: true });
  });

  test('is told about a rejection and a withdrawal, and of what it does not know', async () => {
    await using one = await agent(of);
    const asked = await one.call('request_approval', deploy());
    await world.click('U0ANA', await messageFor(asked.facts.id), 'Reject');
    const rejected = await one.call('wait_for_approval', { id: asked.facts.id });
    expect(rejected.facts).toMatchObject({ status: 'REJECTED', approved: false });
    const other = await one.call('request_approval', deploy());
    const withdrawn = await one.call('withdraw', { id: other.facts.id });
    expect(withdrawn.facts).toMatchObject({ status: 'WITHDRAWN' });
    const over = await one.call('wait_for_approval', { id: other.facts.id });
    expect(over.text).toBe('WITHDRAWN. It is not approved.');
    const unknown = await one.call('wait_for_approval', { id: '0-unknown.abc' });
    expect(unknown).toMatchObject({ isError: true });
    expect(unknown.text).toMatch(/Nothing is approved\.$/);
  });
});

/** A message, posted by hand. */
function post(
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
  url = world.app.url,
) {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: authorization(),
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...headers,
    },
    body: JSON.stringify(message),
  });
}

const LIST = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

function callOf(name: string, given: object) {
  return { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name, arguments: given } };
}

async function resultIn(
  response: Response,
): Promise<{ structuredContent: Record<string, string> }> {
  const line = (await response.text()).split('\n').find((each) => each.startsWith('data: {'));
  return JSON.parse(line?.slice('data: '.length) ?? '{}').result;
}

describe('the endpoint', () => {
  test('is for sources alone, and not for pages of other hosts', async () => {
    const { host } = new URL(world.app.url);
    const statuses = await Promise.all([
      post(LIST),
      post(LIST, { authorization: 'Bearer wrong' }),
      post(LIST, { origin: `http://${host}` }),
      post(LIST, { origin: 'http://evil.example.com' }),
      post(LIST, { origin: 'null' }),
      fetch(`${world.app.url}/mcp`),
      fetch(`${world.app.url}/mcp`, { method: 'DELETE' }),
      post({ ...LIST, params: { long: 'x'.repeat(600_000) } }),
      post(LIST, { 'gatepost-source': 'other' }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([
      200, 401, 200, 403, 403, 405, 405, 413, 401,
    ]);
  });

  test('takes one message at a time', async () => {
    const batch = JSON.stringify([LIST, callOf('request_approval', deploy())]);
    for (const body of [batch, ` \n${batch}`, `\ufeff${batch}`]) {
      const response = await fetch(`${world.app.url}/mcp`, {
        method: 'POST',
        headers: { authorization: authorization(), 'content-type': 'application/json' },
        body,
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        detail: expect.stringContaining('Send one message at a time'),
      });
    }
  });

  test('keeps no session', async () => {
    const initialize = {
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'test', version: '1' },
      },
    };
    const first = await post(initialize);
    expect(first.headers.get('mcp-session-id')).toBeNull();
    expect(await resultIn(first)).toMatchObject({ protocolVersion: '2025-06-18' });
    const listed = await resultIn(await post(LIST, { 'mcp-protocol-version': '2025-06-18' }));
    expect(listed).toMatchObject({ tools: { length: 3 } });
  });

  test('asks in the name of whom the header names, and refuses what is none', async () => {
    const { reviewers: _, ...alone } = deploy();
    const named = await post(callOf('request_approval', alone), {
      'gatepost-requested-by': 'ana@example.com',
    });
    const { id } = (await resultIn(named)).structuredContent;
    const ts = await messageFor(id);
    await world.click('U0ANA', ts, 'Approve');
    const refused = () => world.told('U0ANA').find((text) => text.includes('You asked for'));
    expect(await world.sandbox.until(refused)).toContain('so somebody else has to decide');
    await world.click('U0BEN', ts, 'Approve');
    const approved = await resultIn(await post(callOf('wait_for_approval', { id })));
    expect(approved.structuredContent).toMatchObject({ approved: true, by: ['U0BEN'] });

    for (const wrong of ['a@@secret', '%E0%A4%A']) {
      const reply = await post(LIST, { 'gatepost-requested-by': wrong });
      const text = await reply.text();
      expect([reply.status, text]).toEqual([400, expect.stringMatching(/Gatepost-Requested-By/)]);
      expect(text).not.toContain(wrong);
    }
    const umlaut = { 'gatepost-requested-by': encodeURIComponent('Zoë Größe') };
    const other = await resultIn(await post(callOf('request_approval', deploy()), umlaut));
    expect(await world.until(await messageFor(other.structuredContent.id), /Zoë/)).toContain(
      'Größe',
    );
  });

  test('shows neither its secret nor what was sent in an error', async () => {
    const secret = world.sandbox.credentials.intakeSecret;
    const texts = await Promise.all(
      [
        post(callOf('request_approval', { ...deploy(), reviewers: ['ana-of-nowhere'] })),
        post(callOf('nothing', { secret })),
        post({ jsonrpc: '2.0', id: 1, method: 5 }),
      ].map(async (reply) => (await reply).text()),
    );
    expect(texts.join('')).not.toMatch(/ana-of-nowhere/);
    expect(texts.join('') + world.log.join('')).not.toContain(secret);
  });

  test('a stream that the client cuts changes nothing', async () => {
    const asked = await resultIn(await post(callOf('request_approval', deploy())));
    const { id } = asked.structuredContent;
    const cut = new AbortController();
    const waiting = await fetch(`${world.app.url}/mcp`, {
      method: 'POST',
      signal: cut.signal,
      headers: {
        authorization: authorization(),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(callOf('wait_for_approval', { id })),
    });
    expect(waiting.status).toBe(200);
    cut.abort();
    await world.click('U0ANA', await messageFor(id), 'Approve');
    const approved = await resultIn(await post(callOf('wait_for_approval', { id })));
    expect(approved.structuredContent).toMatchObject({ id, approved: true });
  });
});

test('one source cannot have more calls waiting than one process answers at a time', async () => {
  const asked = await resultIn(await post(callOf('request_approval', deploy())));
  const { id } = asked.structuredContent;
  const leaving = new AbortController();
  const wait = (signal?: AbortSignal) =>
    fetch(`${world.app.url}/mcp`, {
      method: 'POST',
      ...(signal && { signal }),
      headers: {
        authorization: authorization(),
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify(callOf('wait_for_approval', { id, seconds: 50 })),
    });
  const waiting = await Promise.all(
    Array.from({ length: MOST_AT_ONCE }, () => wait(leaving.signal)),
  );
  expect(new Set(waiting.map(({ status }) => status))).toEqual(new Set([200]));
  const more = await wait();
  expect([more.status, more.headers.get('retry-after')]).toEqual([429, '1']);
  const read = `${world.app.url}/v1/approvals/${String(id).split('.')[0]}`;
  expect((await fetch(read, { headers: { authorization: authorization() } })).status).toBe(200);
  leaving.abort();
  await vi.waitFor(async () => expect((await post(LIST)).status).toBe(200), 60_000);
});

test('a source that is not for agents is refused, and so is one without gates', async () => {
  for (const change of [{ agents: false }, { kinds: ['approval' as const] }]) {
    await using other = await startWorld({
      config: (config) => ({
        ...config,
        sources: config.sources.map((source) => ({ ...source, ...change })),
      }),
    });
    const secret = other.sandbox.credentials.intakeSecret;
    const reply = await post(LIST, { authorization: `Bearer ${secret}` }, other.app.url);
    expect(reply.status).toBe(403);
  }
});

test('at the end of the process a waiting call is answered', async () => {
  const other = await startWorld();
  const secret = other.sandbox.credentials.intakeSecret;
  const own = { authorization: `Bearer ${secret}` };
  const url = other.app.url;
  const asked = await resultIn(await post(callOf('request_approval', deploy()), own, url));
  const { id } = asked.structuredContent;
  const waiting = await post(callOf('wait_for_approval', { id }), own, url);
  await other[Symbol.asyncDispose]();
  const { structuredContent } = await resultIn(waiting);
  expect(structuredContent).toMatchObject({ status: 'PENDING', approved: false });
});
