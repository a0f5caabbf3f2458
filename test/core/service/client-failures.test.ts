import { getEventListeners, once } from 'node:events';
import type { Socket } from 'node:net';
import { inspect } from 'node:util';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
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

const TOKEN = 'tok/en+ 7f3a9c';
const SCIM_TOKEN = 'scim-5d21e8';

const verbs: Record<string, (client: ServiceClient, limits?: CallLimits) => Promise<unknown>> = {
  get: (client, limits) => client.approvals.get(TOKEN, limits),
  respond: (client, limits) =>
    client.approvals.respond(TOKEN, { action: 'approve', userId: 'u1' }, limits),
  findByEmail: async (client, limits) => client.users?.findByEmail('ana@example.com', limits),
};

type ClientOptions = Parameters<typeof createServiceClient>[0];

function clientOf(url: string, more: Partial<ClientOptions> = {}): ServiceClient {
  return createServiceClient({
    baseUrl: url,
    scimToken: SCIM_TOKEN,
    apiKey: 'key-81c0de',
    connectTimeoutMs: 1_000,
    ...system,
    ...more,
  });
}

/** The failure's facts, after looking that it shows no secret and no path. */
async function factsOf(call: Promise<unknown>) {
  const failure = await failureOf(call);
  if (!(failure instanceof RemoteFailure)) throw failure;
  const shown = `${inspect(failure, { depth: 10, showHidden: true })} ${JSON.stringify(failure)}`;
  for (const secret of [
    TOKEN,
    encodeURIComponent(TOKEN),
    SCIM_TOKEN,
    'key-81c0de',
    '/approvals/',
  ]) {
    expect(shown).not.toContain(secret);
  }
  return failure.facts;
}

/** Encoded, and twice as long as any answer may be. */
const MUCH = gzipSync('x'.repeat(2 ** 21));

const answered: [string, Answer, object][] = [
  [
    '400 with words',
    (_, r) => json(r, 400, { error: 'bad\naction' }),
    { class: 'refused', code: 'http_400', status: 400, detail: 'bad action' },
  ],
  [
    '401 without a body',
    (_, r) => r.writeHead(401).end(),
    { class: 'refused', code: 'http_401', status: 401 },
  ],
  [
    '404 in HTML',
    (_, r) => r.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no</h1>'),
    { class: 'refused', code: 'http_404', status: 404 },
  ],
  ['408', (_, r) => json(r, 408, {}), { class: 'ambiguous', code: 'http_408', status: 408 }],
  [
    '409 that repeats all it was told',
    ({ url, headers, body }, r) => {
      const last = url?.split('/').at(-1) ?? '';
      json(r, 409, {
        message: `${last} ${decodeURIComponent(last)} ${headers.authorization} ${body}`,
      });
    },
    { class: 'refused', code: 'http_409', status: 409 },
  ],
  [
    '429 with seconds',
    (_, r) => r.writeHead(429, { 'retry-after': '7' }).end(),
    { class: 'refused', code: 'http_429', status: 429, retryAfterMs: 7000 },
  ],
  [
    '429 that asks for an hour',
    (_, r) => r.writeHead(429, { 'retry-after': '3600' }).end(),
    { class: 'refused', code: 'http_429', status: 429, retryAfterMs: 60_000 },
  ],
  [
    '500',
    (_, r) => json(r, 500, { error: { message: 'oops' } }),
    { class: 'ambiguous', code: 'http_500', status: 500, detail: 'oops' },
  ],
  [
    '502 in HTML',
    (_, r) => r.writeHead(502).end('<html>Bad gateway</html>'),
    { class: 'ambiguous', code: 'http_502', status: 502 },
  ],
  [
    '503 whose body breaks off',
    (_, r) => {
      r.writeHead(503, { 'content-length': '99' }).write('{"error":');
      r.socket?.end();
    },
    { class: 'ambiguous', code: 'http_503', status: 503 },
  ],
  [
    'a redirect',
    (_, r) => r.writeHead(307, { location: '/elsewhere' }).end(),
    { class: 'refused', code: 'http_307', status: 307 },
  ],
  [
    '204',
    (_, r) => r.writeHead(204).end(),
    { class: 'unreadable', code: 'unreadable_body', status: 204 },
  ],
  [
    '200 without a body',
    (_, r) => r.writeHead(200).end(),
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 in HTML',
    (_, r) => r.writeHead(200).end('<html>Please log in</html>'),
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 with another object',
    (_, r) => json(r, 200, { ok: true }),
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 with null',
    (_, r) => json(r, 200, null),
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 cut in its body',
    (_, r) => {
      r.writeHead(200, { 'content-length': '99' }).write('{"status":');
      r.socket?.end();
    },
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 reset in its body',
    (_, r) => {
      r.writeHead(200, { 'content-length': '99' }).write('{"status":', () =>
        r.socket?.resetAndDestroy(),
      );
    },
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 longer than it may be',
    (_, r) => json(r, 200, { status: 'APPROVED', Resources: [], pad: 'x'.repeat(2 ** 21) }),
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '200 in an encoding that is not known',
    (_, r) => r.writeHead(200, { 'content-encoding': 'snappy' }).end('{"status":"PENDING"}'),
    { class: 'unreadable', code: 'bad_encoding', status: 200 },
  ],
  [
    '200 that is not in the encoding it names',
    (_, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end('{"status":"PENDING"}'),
    { class: 'unreadable', code: 'bad_encoding', status: 200 },
  ],
  [
    '200 that is longer than it may be once it is decoded',
    (_, r) => r.writeHead(200, { 'content-encoding': 'gzip' }).end(MUCH),
    { class: 'unreadable', code: 'unreadable_body', status: 200 },
  ],
  [
    '403 that a proxy encoded',
    (_, r) =>
      r.writeHead(403, { 'content-encoding': 'gzip' }).end(gzipSync('{"error":"not yours"}')),
    { class: 'refused', code: 'http_403', status: 403, detail: 'not yours' },
  ],
  [
    'nothing, and closes',
    (_, r) => r.socket?.end(),
    { class: 'ambiguous', code: 'connection_lost' },
  ],
  [
    'a reset',
    (_, r) => r.socket?.resetAndDestroy(),
    { class: 'ambiguous', code: 'connection_lost' },
  ],
  [
    'what is not HTTP',
    (_, r) => r.socket?.end(`${TOKEN} hello\r\n\r\n`),
    { class: 'ambiguous', code: 'bad_response' },
  ],
  [
    'an upgrade nobody asked for',
    (_, r) =>
      r.socket?.write('HTTP/1.1 101 Switching\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n'),
    { class: 'ambiguous', code: 'connection_lost' },
  ],
];

describe.each(Object.keys(verbs))('%s', (name) => {
  const call = verbs[name] ?? expect.unreachable();

  it.each(answered)(
    'reports the right failure after %s, and asks once',
    async (what, answer, facts) => {
      await using server = await startTestServer(answer);
      await using client = clientOf(server.url);
      expect(await factsOf(call(client))).toMatchObject(facts);
      // A SCIM list is asked again without its filter where that was refused: that is another question.
      const again = name === 'findByEmail' && /^400|^404/.test(what);
      expect(server.seen).toHaveLength(again ? 2 : 1);
    },
  );

  it('does not follow a redirect to a login page: refused, or ambiguous if the call may have been applied', async () => {
    await using server = await startTestServer((_, r) =>
      r.writeHead(302, { location: '/login' }).end(),
    );
    await using client = clientOf(server.url);
    const known = name === 'respond' ? 'ambiguous' : 'refused';
    expect(await factsOf(call(client))).toMatchObject({ class: known, code: 'http_302' });
    expect(server.seen).toHaveLength(1);
  });

  it('asks for an answer without an encoding', async () => {
    await using server = await startTestServer((_, response) => response.writeHead(404).end());
    await using client = clientOf(server.url);
    await factsOf(call(client));
    expect(server.seen[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('is not sent where nobody listens', async () => {
    await using client = clientOf(`http://127.0.0.1:${await freePort()}`);
    expect(await factsOf(call(client))).toEqual({ class: 'not-sent', code: 'connection_refused' });
  });

  it('is not sent to a host that cannot exist', async () => {
    await using client = clientOf('http://no..where');
    expect(await factsOf(call(client))).toEqual({ class: 'not-sent', code: 'unknown_host' });
  });

  it('is not sent when TLS cannot be agreed on', async () => {
    await using server = await startTestServer((_, response) => json(response, 200, {}));
    await using client = clientOf(server.url.replace('http:', 'https:'));
    expect(await factsOf(call(client))).toMatchObject({ class: 'not-sent' });
    expect(server.seen).toHaveLength(0);
  });

  it('is ambiguous when the deadline ends after sending', async () => {
    const held = heldDeadline(1_000);
    await using server = await startTestServer(held.end);
    await using client = clientOf(server.url, held.system);
    const facts = await factsOf(call(client, { deadlineMs: 1_000 }));
    expect(facts).toEqual({ class: 'ambiguous', code: 'timeout' });
    expect(server.seen).toHaveLength(1);
  });

  it('is done but unreadable when the deadline ends within the body of a 200', async () => {
    const held = heldDeadline(1_000);
    await using server = await startTestServer((_, response) =>
      beginAnswer(response, '{"status":', held.end),
    );
    await using client = clientOf(server.url, held.system);
    expect(await factsOf(call(client, { deadlineMs: 1_000 }))).toMatchObject({
      class: 'unreadable',
      status: 200,
    });
  });

  it('is ambiguous when the caller gives up after sending, and not sent before', async () => {
    const abort = new AbortController();
    await using server = await startTestServer(() => abort.abort());
    await using client = clientOf(server.url);
    const limits = { signal: abort.signal };
    expect(await factsOf(call(client, limits))).toEqual({ class: 'ambiguous', code: 'aborted' });
    expect(await factsOf(call(client, limits))).toEqual({ class: 'not-sent', code: 'aborted' });
    expect(server.seen).toHaveLength(1);
  });

  it('is not repeated when a kept connection breaks with the request on it', async () => {
    const used = new Set<Socket>();
    await using server = await startTestServer(({ socket }, response) => {
      if (used.has(socket)) socket.resetAndDestroy();
      else json(response, 200, { status: 'PENDING', Resources: [] });
      used.add(socket);
    });
    await using client = clientOf(server.url);
    // A connection is free again a moment after its answer, so that a few calls may open their own.
    let calls = 0;
    const callUntilItBreaks = async () => {
      for (; calls < 100; calls++) await call(client);
    };
    const facts = await factsOf(callUntilItBreaks());
    expect(facts).toEqual({ class: 'ambiguous', code: 'connection_lost' });
    expect(server.seen).toHaveLength(calls + 1);
    expect(server.connections).toHaveLength(calls);
  });

  it('uses a new connection when the idle one was closed', async () => {
    await using server = await startTestServer((_, response) => {
      json(response, 200, { status: 'PENDING', Resources: [] });
    });
    await using client = clientOf(server.url);
    await call(client);
    const [kept] = server.connections;
    kept?.end();
    if (kept && !kept.closed) await once(kept, 'close');
    await call(client);
    expect(server.connections).toHaveLength(2);
  });

  it('fails as not sent after the client was closed', async () => {
    await using server = await startTestServer((_, response) => json(response, 200, {}));
    const client = clientOf(server.url);
    await client.close();
    expect(await factsOf(call(client))).toEqual({ class: 'not-sent', code: 'closed' });
    expect(server.seen).toHaveLength(0);
  });
});

describe('a client', () => {
  it('sends no call when the connection takes too long', async () => {
    // A server that accepts and never goes on with the TLS handshake.
    await using server = await startRawServer((socket) => socket.resume());
    const url = server.url.replace('http:', 'https:');
    await using client = clientOf(url, { connectTimeoutMs: 100 });
    const facts = await Promise.all(Object.values(verbs).map((call) => factsOf(call(client))));
    const notSent = { class: 'not-sent', code: 'connect_timeout' };
    expect(facts).toEqual(Object.values(verbs).map(() => notSent));
  });

  it('shows no token in errors of the connection either', async () => {
    await using client = clientOf(`http://127.0.0.1:${await freePort()}`);
    const failure = await failureOf(client.approvals.get('ECONNREFUSED'));
    expect(failure).toMatchObject({ code: 'connection_refused' });
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain('ECONNREFUSED');
  });

  it('keeps concurrent calls apart, on at most 64 connections', async () => {
    await using server = await startTestServer(({ url }, response) => {
      json(response, 200, { status: 'PENDING', prompt: url?.split('-').at(-1) });
    });
    await using client = clientOf(server.url);
    const { signal } = new AbortController();
    const patient = { deadlineMs: 25_000 };
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => warnings.push(warning);
    process.on('warning', onWarning);
    const numbers = Array.from({ length: 200 }, (_, n) => n);
    const prompts = await Promise.all(
      numbers.map(
        async (n) => (await client.approvals.get(`t-${n}`, { ...patient, signal })).prompt,
      ),
    );
    process.off('warning', onWarning);
    expect(prompts).toEqual(numbers.map(String));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
    expect(warnings).toEqual([]);
    expect(server.connections.length).toBeLessThanOrEqual(64);
  });

  it('never sends a queued call after its deadline', async () => {
    const answers: (() => void)[] = [];
    await using server = await startTestServer((_, response) => {
      answers.push(() => json(response, 200, { status: 'PENDING' }));
    });
    await using client = clientOf(server.url);
    const patient = { deadlineMs: 25_000 };
    const busy = Array.from({ length: 64 }, (_, n) => client.approvals.get(`busy-${n}`, patient));
    const late = client.approvals.respond(
      'late',
      { action: 'approve', userId: null },
      { deadlineMs: 50 },
    );
    expect(await factsOf(late)).toEqual({ class: 'not-sent', code: 'timeout' });
    await vi.waitUntil(() => answers.length === 64, { timeout: 60_000 });
    expect(new Set(server.seen.map(({ socket }) => socket)).size).toBe(64);
    const after = client.approvals.get('after', patient);
    for (const answer of answers.splice(0)) answer();
    await Promise.all(busy);
    await vi.waitUntil(() => answers.length === 1, { timeout: 60_000 });
    answers[0]?.();
    await after;
    await client.close();
    expect(server.seen.map(({ url }) => url?.split('/').at(-1))).toEqual(
      expect.not.arrayContaining(['late']),
    );
    expect(server.seen).toHaveLength(65);
  });

  it('is not sent when its deadline ends before there is a connection', async () => {
    await using server = await startRawServer((socket) => socket.resume());
    await using client = clientOf(server.url.replace('http:', 'https:'), {
      connectTimeoutMs: 200,
    });
    expect(await factsOf(client.approvals.get(TOKEN, { deadlineMs: 50 }))).toEqual({
      class: 'not-sent',
      code: 'timeout',
    });
  });

  it('waits for running calls when closed', async () => {
    const answers: (() => void)[] = [];
    let arrived = () => {};
    const arrival = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    await using server = await startTestServer((_, response) => {
      answers.push(() => json(response, 200, { status: 'APPROVED' }));
      arrived();
    });
    const client = clientOf(server.url);
    const call = client.approvals.get('t');
    await arrival;
    const closed = client.close();
    for (const answer of answers) answer();
    expect(await call).toMatchObject({ status: 'APPROVED' });
    await closed;
  });
});
