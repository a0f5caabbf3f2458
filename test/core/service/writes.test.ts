import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { system } from '../../../src/core/lib/system.ts';
import {
  createServiceClient,
  type ServiceClient,
} from '../../../src/core/service/service-client.ts';
import type { CallLimits } from '../../../src/core/service/transport.ts';
import { freePort } from '../../support/free-port.ts';
import { beginAnswer, heldDeadline } from '../http/held-deadline.ts';
import { type Answer, failureOf, json, startRawServer, startTestServer } from './test-server.ts';

const API_KEY = 'key-81c0de';
const SCIM_TOKEN = 'scim-5d21e8';

interface Write {
  readonly call: (client: ServiceClient, limits?: CallLimits) => Promise<unknown>;
  /** What is known when it is done and the answer says nothing. */
  readonly done: object;
}

const writes: Record<string, Write> = {
  move: {
    call: async (client, limits) =>
      client.tasks?.move(
        {
          taskId: 't-1',
          targetProjectId: 'p-2',
          statusMapping: { open: 'todo' },
          baseUpdatedAt: '2026-11-02T09:14:07Z',
          subtreeTaskIds: ['t-1'],
          targetTaskTypeId: null,
        },
        limits,
      ),
    done: { kind: 'moved', key: null, movedCount: null },
  },
  createTestCase: {
    call: async (client, limits) =>
      client.testCases?.create({ spaceSlug: 'eng', projectId: 'tp-1', title: 'Log in' }, limits),
    done: { kind: 'created', id: null, status: null },
  },
  createUser: {
    call: async (client, limits) => client.users?.create({ userName: 'a@example.com' }, limits),
    done: { kind: 'provisioned', user: null },
  },
  patchUser: {
    call: async (client, limits) =>
      client.users?.patch('u', [{ op: 'replace', attribute: 'active', value: false }], limits),
    done: { kind: 'changed', user: null },
  },
  deleteUser: {
    call: async (client, limits) => client.users?.delete('u', limits),
    done: { kind: 'deactivated' },
  },
};

type ClientOptions = Parameters<typeof createServiceClient>[0];

function clientOf(url: string, more: Partial<ClientOptions> = {}): ServiceClient {
  return createServiceClient({
    baseUrl: url,
    scimToken: SCIM_TOKEN,
    apiKey: API_KEY,
    connectTimeoutMs: 1_000,
    ...system,
    ...more,
  });
}

/** The failure's facts, after looking that it shows no secret. */
async function factsOf(call: Promise<unknown>) {
  const failure = await failureOf(call);
  if (!(failure instanceof RemoteFailure)) throw failure;
  const shown = `${inspect(failure, { depth: 10, showHidden: true })} ${JSON.stringify(failure)}`;
  expect(shown).not.toContain(API_KEY);
  expect(shown).not.toContain(SCIM_TOKEN);
  return failure.facts;
}

/** Answers that tell nothing, lie, or break off. */
const inDoubt: [string, Answer, object][] = [
  ['408', (_, r) => json(r, 408, {}), { code: 'http_408' }],
  ['500', (_, r) => json(r, 500, { error: 'oops' }), { code: 'http_500', detail: 'oops' }],
  ['502 in HTML', (_, r) => r.writeHead(502).end('<html>Bad gateway</html>'), { code: 'http_502' }],
  ['nothing, and closes', (_, r) => r.socket?.end(), { code: 'connection_lost' }],
  ['a reset', (_, r) => r.socket?.resetAndDestroy(), { code: 'connection_lost' }],
  ['what is not HTTP', (_, r) => r.socket?.end('hello\r\n\r\n'), { code: 'bad_response' }],
];

const unreadable: [string, Answer][] = [
  ['204', (_, r) => r.writeHead(204).end()],
  ['200 without a body', (_, r) => r.writeHead(200).end()],
  ['200 in HTML', (_, r) => r.writeHead(200).end('<html>Please log in</html>')],
  ['200 with null', (_, r) => json(r, 200, null)],
  [
    '201 cut in its body',
    (_, r) => {
      r.writeHead(201, { 'content-length': '99' }).write('{"data":');
      r.socket?.end();
    },
  ],
  ['200 longer than it may be', (_, r) => json(r, 200, { pad: 'x'.repeat(2 ** 21) })],
];

describe.each(Object.keys(writes))('%s', (name) => {
  const { call, done } = writes[name] ?? expect.unreachable();

  it.each(inDoubt)(
    'has an unknown result after %s, and is sent once',
    async (_what, answer, facts) => {
      await using server = await startTestServer(answer);
      await using client = clientOf(server.url);
      expect(await factsOf(call(client))).toMatchObject({ class: 'ambiguous', ...facts });
      expect(server.seen).toHaveLength(1);
    },
  );

  it.each(unreadable)('counts as done after %s, and is sent once', async (_what, answer) => {
    await using server = await startTestServer(answer);
    await using client = clientOf(server.url);
    expect(await call(client)).toMatchObject(done);
    expect(server.seen).toHaveLength(1);
  });

  it('has an unknown result when the deadline ends after sending', async () => {
    const held = heldDeadline(1_000);
    await using server = await startTestServer(held.end);
    await using client = clientOf(server.url, held.system);
    expect(await factsOf(call(client, { deadlineMs: 1_000 }))).toEqual({
      class: 'ambiguous',
      code: 'timeout',
    });
    expect(server.seen).toHaveLength(1);
  });

  it('counts as done when the deadline ends within the body of a 200', async () => {
    const held = heldDeadline(1_000);
    await using server = await startTestServer((_, response) =>
      beginAnswer(response, '{"data":', held.end),
    );
    await using client = clientOf(server.url, held.system);
    expect(await call(client, { deadlineMs: 1_000 })).toMatchObject(done);
  });

  it('is not sent where nobody listens', async () => {
    await using client = clientOf(`http://127.0.0.1:${await freePort()}`);
    expect(await factsOf(call(client))).toEqual({ class: 'not-sent', code: 'connection_refused' });
  });

  it('is refused by a 429, with the time to wait', async () => {
    await using server = await startTestServer((_, r) =>
      r.writeHead(429, { 'retry-after': '7' }).end(),
    );
    await using client = clientOf(server.url);
    expect(await factsOf(call(client))).toEqual({
      class: 'refused',
      code: 'http_429',
      status: 429,
      retryAfterMs: 7000,
    });
    expect(server.seen).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    await using server = await startTestServer((_, r) =>
      r.writeHead(307, { location: '/elsewhere' }).end(),
    );
    await using client = clientOf(server.url);
    expect(await factsOf(call(client))).toMatchObject({ class: 'refused', code: 'http_307' });
    expect(server.seen).toHaveLength(1);
  });

  it.each([301, 302, 303])('may have been carried out when it is answered %s', async (status) => {
    await using server = await startTestServer((_, r) =>
      r.writeHead(status, { location: '/done' }).end(),
    );
    await using client = clientOf(server.url);
    const code = `http_${status}`;
    expect(await factsOf(call(client))).toEqual({ class: 'ambiguous', code, status });
    expect(server.seen).toHaveLength(1);
  });

  it('redacts a credential that the service repeats', async () => {
    await using server = await startTestServer(({ headers }, r) =>
      json(r, 422, { error: `no ${headers.authorization} here` }),
    );
    await using client = clientOf(server.url);
    const outcome = await call(client);
    expect(outcome).toMatchObject({ kind: 'invalid', detail: 'no Bearer [token] here' });
  });
});

it('none is sent when the connection takes too long', async () => {
  await using server = await startRawServer((socket) => socket.resume());
  const url = server.url.replace('http:', 'https:');
  await using client = clientOf(url, { connectTimeoutMs: 100 });
  const facts = await Promise.all(Object.values(writes).map(({ call }) => factsOf(call(client))));
  const notSent = { class: 'not-sent', code: 'connect_timeout' };
  expect(facts).toEqual(Object.values(writes).map(() => notSent));
});
