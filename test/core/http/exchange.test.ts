import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { Agent, Dispatcher } from 'undici';
import { expect, it } from 'vitest';
import { createConnections, exchange } from '../../../src/core/http/exchange.ts';
import { connectionFix, NO_PROXIES } from '../../../src/core/lib/proxies.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { CERTIFICATES, startTlsServer } from '../../support/tls-server.ts';
import { startTestServer } from '../service/test-server.ts';

/** Breaks the connection after the first writing and begins to write the request again. */
class RepeatingDispatcher extends Dispatcher {
  readonly stopped: boolean[] = [];

  override dispatch(_request: unknown, handler: Dispatcher.DispatchHandler): boolean {
    for (let writing = 0; writing < 2; writing++) {
      let aborted = false;
      const controller: Dispatcher.DispatchController = {
        aborted: false,
        paused: false,
        reason: null,
        abort: () => {
          aborted = true;
        },
        pause: () => {},
        resume: () => {},
      };
      handler.onRequestStart?.(controller, {});
      this.stopped.push(aborted);
      if (writing === 1) handler.onResponseError?.(controller, new Error('stopped'));
    }
    return true;
  }
}

it('stops a request that would be written a second time, and reports it as sent', async () => {
  const dispatcher = new RepeatingDispatcher();
  const origin = 'http://127.0.0.1';
  const request = { method: 'POST', origin, path: '/', headers: {}, body: '{}' } as const;
  const deadline = { ms: 5000, timers: systemTimers };
  const limits = { deadline, maxBodyBytes: 1000 };
  expect(await exchange(dispatcher, request, limits)).toMatchObject({ kind: 'failed', sent: true });
  expect(dispatcher.stopped).toEqual([false, true]);
});

it.each([
  ['expired', 'certificate_expired'],
  ['notYetValid', 'certificate_not_yet_valid'],
  ['ofAnotherHost', 'certificate_of_another_host'],
] as const)('names what is wrong with a certificate: %s', async (certificate, code) => {
  await using server = await startTlsServer(certificate);
  const trusting = new Agent({ connect: { ca: CERTIFICATES[certificate] } });
  expect(await get(trusting, server.origin)).toMatchObject({ kind: 'failed', sent: false, code });
  await trusting.close();
});

it('names a certificate of an authority that is not known here', async () => {
  await using server = await startTlsServer('valid');
  const agent = new Agent();
  const failed = { kind: 'failed', sent: false, code: 'certificate_not_trusted' };
  expect(await get(agent, server.origin)).toMatchObject(failed);
  await agent.close();
});

it('names an alert of TLS, in answer to plain HTTP, as no response', async () => {
  const server = createServer((socket) => {
    socket.once('data', () => socket.end(Buffer.from('15030100020246', 'hex')));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has a port
  const agent = new Agent();
  const failed = { kind: 'failed', sent: true, code: 'bad_response' };
  const origin = `http://127.0.0.1:${port}`;
  expect(await get(agent, origin)).toMatchObject(failed);
  expect(connectionFix('bad_response', origin, NO_PROXIES)).toMatch(/^Is this a TLS port/);
  expect(connectionFix('bad_response', origin, NO_PROXIES, { isProven: true })).toBeUndefined();
  expect(connectionFix('bad_response', 'https://127.0.0.1', NO_PROXIES)).toBeUndefined();
  await agent.close();
  server.close();
});

it.each<[string, Buffer]>([
  ['gzip', gzipSync('{}')],
  ['X-GZip', gzipSync('{}')],
  ['deflate', deflateSync('{}')],
  ['br', brotliCompressSync('{}')],
  ['deflate, identity, gzip', gzipSync(deflateSync('{}'))],
  ['identity', Buffer.from('{}')],
])('decodes an answer that a proxy encoded without being asked: %s', async (encoding, sent) => {
  await using server = await startTestServer((_, response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end(sent),
  );
  const agent = new Agent();
  const body = Buffer.from('{}');
  expect(await get(agent, server.url)).toMatchObject({ kind: 'answered', code: 'complete', body });
  await agent.close();
});

it('hands out a stream of events as it arrives, and keeps any other body', async () => {
  let type = 'text/event-stream; charset=utf-8';
  await using server = await startTestServer((_, response) => {
    response.writeHead(200, { 'content-type': type });
    response.end('data: 1\n\n');
  });
  const agent = new Agent();
  const request = {
    method: 'GET',
    origin: server.url,
    path: '/',
    headers: {},
    body: null,
  } as const;
  const parts: string[] = [];
  const onEvents = (part: Buffer) => void parts.push(part.toString());
  const deadline = { ms: 5000, timers: systemTimers };
  const bodies: unknown[] = [];
  for (type of [type, 'application/json']) {
    const end = await exchange(agent, request, { deadline, maxBodyBytes: 1000, onEvents });
    bodies.push(end.kind === 'answered' && String(end.body));
  }
  expect({ parts: parts.join(''), bodies }).toEqual({
    parts: 'data: 1\n\n',
    bodies: ['', 'data: 1\n\n'],
  });
  await agent.close();
});

function get(dispatcher: Dispatcher, origin: string) {
  const request = { method: 'GET', origin, path: '/', headers: {}, body: null } as const;
  const deadline = { ms: 5000, timers: systemTimers };
  return exchange(dispatcher, request, { deadline, maxBodyBytes: 1000 });
}

it('reuses the connection for the next request', async () => {
  await using server = await startTestServer((_request, response) => response.end('{}'));
  const connections = createConnections({ most: 64, connectTimeoutMs: 1_000, idleMs: 4_000 });
  const request = {
    method: 'GET',
    origin: server.url,
    path: '/',
    headers: {},
    body: null,
  } as const;
  for (let sent = 0; sent < 5; sent += 1) {
    const exchanged = await connections.send(request, { deadline: null, maxBodyBytes: 1_000 });
    expect(exchanged).toMatchObject({ kind: 'answered', status: 200 });
  }
  expect(server.connections).toHaveLength(1);
  await connections.close();
});
