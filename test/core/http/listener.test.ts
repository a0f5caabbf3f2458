import { EventEmitter, once } from 'node:events';
import { Agent, request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import type { Logger } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHttpListener, type ListenerOptions } from '../../../src/core/http/listener.ts';
import { createMetrics } from '../../../src/core/http/metrics.ts';
import { readBody } from '../../../src/core/http/read-body.ts';
import { jsonReply, textReply } from '../../../src/core/http/reply.ts';
import type { Route } from '../../../src/core/http/router.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { fake } from '../../support/fake.ts';

async function start(rest: Partial<ListenerOptions> = {}) {
  const logged: unknown[] = [];
  const listener = await createHttpListener({
    host: '127.0.0.1',
    port: 0,
    routes: [],
    isReady: () => true,
    metrics: createMetrics(),
    logger: fake<Logger>({ error: (fields: unknown) => logged.push(fields) }),
    timers: systemTimers,
    ...rest,
  });
  return Object.assign(listener, { logged, [Symbol.asyncDispose]: () => listener.stop(1_000) });
}

const limit = 1_000;
const echo: Route = {
  method: 'POST',
  path: '/echo',
  async handle(request) {
    const body = await readBody(request, limit);
    return Buffer.isBuffer(body) ? textReply(200, body.toString()) : body;
  },
};

describe('the health endpoints', () => {
  it('answer 200 at /healthz while the process runs', async () => {
    await using listener = await start({ isReady: () => false });
    expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
  });

  it('answer 200 at /readyz only when the app is ready', async () => {
    let isReady = false;
    await using listener = await start({ isReady: () => isReady });
    expect((await fetch(`${listener.url}/readyz`)).status).toBe(503);
    isReady = true;
    expect((await fetch(`${listener.url}/readyz?x=1`)).status).toBe(200);
    expect((await fetch(`${listener.url}/readyz`, { method: 'HEAD' })).status).toBe(200);
  });

  it('show the counters at /metrics', async () => {
    const metrics = createMetrics();
    metrics.count('intake', { result: 'created' });
    await using listener = await start({ metrics });
    const response = await fetch(`${listener.url}/metrics`);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await response.text()).toContain('gatepost_intake_total{result="created"} 1');
  });
});

describe('a route', () => {
  const routes: Route[] = [
    echo,
    {
      method: 'GET',
      path: '/v1/approvals/:id',
      handle: async (_, { id }) => jsonReply(200, { id }),
    },
    {
      method: 'POST',
      path: '/v1/approvals/:id/check',
      handle: async (_, { id }) => jsonReply(202, { checked: id }),
    },
  ];

  it.each([
    ['GET', '/v1/approvals/1-abc', 200, { id: '1-abc' }],
    ['GET', '/v1/approvals/a%2Fb?x=1', 200, { id: 'a/b' }],
    ['POST', '/v1/approvals/1-abc/check', 202, { checked: '1-abc' }],
  ])('%s %s is found', async (method, path, status, body) => {
    await using listener = await start({ routes });
    const response = await fetch(listener.url + path, { method });
    expect(response.status).toBe(status);
    expect(await response.json()).toEqual(body);
  });

  it.each([
    ['GET', '/v1/approvals'],
    ['GET', '/v1/approvals/'],
    ['GET', '/v1/approvals/a/b'],
    ['GET', '/v1/approvals/%ff'],
    ['GET', '/ECHO'],
    ['GET', '/slack/events'],
    ['GET', '/__proto__'],
    ['GET', '//'],
  ])('%s %s is not found', async (method, path) => {
    await using listener = await start({ routes });
    const response = await fetch(listener.url + path, { method });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('application/problem+json');
  });

  it.each([
    ['DELETE', '/v1/approvals/1', 'GET'],
    ['GET', '/echo', 'POST'],
    ['POST', '/healthz', 'GET'],
  ])('does not take %s %s and says what it takes', async (method, path, allow) => {
    await using listener = await start({ routes });
    const response = await fetch(listener.url + path, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe(allow);
  });

  it.each(['', 'a body'])('that fails after reading "%s" is answered and logged', async (body) => {
    const broken: Route = {
      method: 'POST',
      path: '/broken',
      handle: async (request) => {
        await readBody(request, limit);
        throw new Error('secret inside');
      },
    };
    await using listener = await start({ routes: [broken] });
    const response = await fetch(`${listener.url}/broken`, { method: 'POST', body });
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('secret inside');
    expect(listener.logged).toHaveLength(1);
    expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
  });

  it('may not be there twice', async () => {
    await expect(start({ routes: [echo, echo] })).rejects.toThrow('Two routes for POST /echo');
  });
});

describe('a body', () => {
  it('up to the limit is read', async () => {
    await using listener = await start({ routes: [echo] });
    const body = 'x'.repeat(limit);
    const response = await fetch(`${listener.url}/echo`, { method: 'POST', body });
    expect(await response.text()).toBe(body);
  });

  it.each([
    ['that says its length', true],
    ['that does not say its length', false],
  ])(
    '%s and is too large is refused with 413, which the client receives',
    async (_, saysLength) => {
      await using listener = await start({ routes: [echo] });
      const answer = await upload(`${listener.url}/echo`, 20_000_000, saysLength);
      expect(answer).toEqual({ status: 413, connection: 'close', title: 'Content too large' });
    },
  );

  it('that is announced too large is refused before it is sent', async () => {
    await using listener = await start({ routes: [echo] });
    const head = 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 1001\r\n\r\n';
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(head));
    const [chunk] = await once(socket, 'data');
    expect(String(chunk)).toContain('413');
    socket.destroy();
  });

  it('that is cut off by its client ends the reading, and the listener keeps running', async () => {
    const seen = new EventEmitter();
    const reading: Route = {
      ...echo,
      async handle(request) {
        seen.emit('begun');
        await readBody(request, limit).catch((error: Error) => seen.emit('ended', error));
        return textReply(200, '');
      },
    };
    await using listener = await start({ routes: [reading] });
    const begun = once(seen, 'begun');
    const ended = once(seen, 'ended');
    const head = 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf';
    const socket = connect(listener.port, '127.0.0.1', () => socket.write(head));
    await begun;
    socket.destroy();
    expect(await ended).toMatchObject([{ code: 'ECONNRESET' }]);
    expect((await fetch(`${listener.url}/healthz`)).status).toBe(200);
  });
});

/** Sends that many bytes as most clients do: it keeps writing, whatever the server answers. */
function upload(url: string, size: number, saysLength: boolean) {
  return new Promise((resolve, reject) => {
    const headers: OutgoingHttpHeaders = saysLength
      ? { 'content-length': size }
      : { 'transfer-encoding': 'chunked' };
    const request = httpRequest(url, { method: 'POST', headers }, async (response) => {
      let text = '';
      for await (const chunk of response.setEncoding('utf8')) text += chunk;
      const { title } = JSON.parse(text);
      resolve({ status: response.statusCode, connection: response.headers.connection, title });
    });
    request.on('error', reject);
    request.end(Buffer.alloc(size));
  });
}

describe('stopping', () => {
  /** A route that answers when it is told to. */
  function slowRoute() {
    let release = () => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let arrive = () => {};
    const arrived = new Promise<void>((resolve) => {
      arrive = resolve;
    });
    const route: Route = {
      method: 'GET',
      path: '/slow',
      async handle() {
        arrive();
        await released;
        return textReply(200, 'done');
      },
    };
    return { route, release, arrived };
  }

  it('waits for requests in flight, and not for connections that are kept alive', async () => {
    const slow = slowRoute();
    const listener = await start({ routes: [slow.route] });
    const agent = new Agent({ keepAlive: true });
    const idle = await statusBy(agent, `${listener.url}/healthz`);
    const answer = statusBy(agent, `${listener.url}/slow`);
    await slow.arrived;
    // Longer than a test may take.
    const stopped = listener.stop(3_600_000);
    await expect(fetch(`${listener.url}/healthz`)).rejects.toThrow();
    slow.release();
    expect(await answer).toBe(200);
    await stopped;
    expect(idle).toBe(200);
    agent.destroy();
  });

  it('closes connections on which no request has arrived whole, and waits for the others', async () => {
    const slow = slowRoute();
    const seen = new EventEmitter();
    const reading: Route = {
      ...echo,
      async handle(request) {
        seen.emit('begun');
        const body = await readBody(request, limit);
        return Buffer.isBuffer(body) ? textReply(200, '') : body;
      },
    };
    const listener = await start({ routes: [slow.route, reading] });
    const begun = once(seen, 'begun');
    const head = 'POST /echo HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n';
    const halves = [head, `${head}\r\nhalf`].map((text) => {
      const socket = connect(listener.port, '127.0.0.1', () => socket.write(text));
      return socket.resume();
    });
    const idle = connect(listener.port, '127.0.0.1').resume();
    await Promise.all([begun, once(idle, 'connect')]);
    const answer = fetch(`${listener.url}/slow`);
    await slow.arrived;
    const stopped = listener.stop(60_000);
    await Promise.all([...halves, idle].map((socket) => once(socket, 'close')));
    slow.release();
    expect((await answer).status).toBe(200);
    await stopped;
    expect(listener.logged).toEqual([]);
  });

  it('aborts requests that last too long', async () => {
    const slow = slowRoute();
    const listener = await start({ routes: [slow.route] });
    const answer = fetch(`${listener.url}/slow`);
    const cut = expect(answer).rejects.toThrow();
    await slow.arrived;
    await listener.stop(50);
    await cut;
    slow.release();
  });
});

function statusBy(agent: Agent, url: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(url, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject).end();
  });
}

it('says that a port is taken', async () => {
  await using listener = await start();
  await expect(start({ port: listener.port })).rejects.toThrow('EADDRINUSE');
});

describe('an answer that comes bit by bit', () => {
  it('is sent as it comes, and ends when the client disconnects', async () => {
    const ended = new EventEmitter();
    async function* parts(more: boolean) {
      try {
        yield Buffer.from('one ');
        yield Buffer.from('two');
        if (more) await once(ended, 'left');
      } finally {
        ended.emit('over');
      }
    }
    const route: Route = {
      method: 'GET',
      path: '/parts',
      async handle({ url, socket }) {
        const more = url?.endsWith('more') ?? false;
        socket.once('close', () => ended.emit('left'));
        return { status: 200, headers: {}, body: '', stream: parts(more) };
      },
    };
    await using listener = await start({ routes: [route] });
    expect(await (await fetch(`${listener.url}/parts`)).text()).toBe('one two');
    const over = once(ended, 'over');
    const leaving = new AbortController();
    const cut = await fetch(`${listener.url}/parts?more`, { signal: leaving.signal });
    expect(cut.status).toBe(200);
    leaving.abort();
    await over;
    expect(listener.logged).toEqual([]);
  });
});
