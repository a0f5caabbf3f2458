import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import type { Logger } from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerSource, MOST_AT_ONCE, unavailable } from '../../../src/core/http/from-source.ts';
import { createHttpListener, type HttpListener } from '../../../src/core/http/listener.ts';
import { createMetrics } from '../../../src/core/http/metrics.ts';
import { bufferedBytes } from '../../../src/core/http/read-body.ts';
import { textReply } from '../../../src/core/http/reply.ts';
import { sourceFinder } from '../../../src/core/http/source-of.ts';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { SHORTAGE, StoreError } from '../../../src/core/store/store.ts';
import { fake } from '../../support/fake.ts';

const bearers = ['ana', 'ben'].map(
  (name) => ({ id: name, name, auth: { kind: 'bearer' }, secrets: [name] }) as const,
);
const signing = {
  id: 'cy',
  name: 'cy',
  auth: { kind: 'standard-webhooks' },
  secrets: ['whsec_AAAA'],
} as const;
const sourceOf = sourceFinder([...bearers, signing]);

test.each([
  [undefined, 'The store cannot be reached'],
  [SHORTAGE.disk, 'The store accepts no writes: its disk is full, or at its limit'],
  [SHORTAGE.memory, 'The store accepts no writes: its memory is full'],
  [SHORTAGE.saving, 'The store accepts no writes: it cannot save to its disk'],
])('a store that is out of %s is named as the reason for 503', (shortage, why) => {
  const reply = unavailable(new StoreError('unknown', 'create: s3cret', { shortage }));
  expect(reply).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect(JSON.parse(String(reply.body))).toMatchObject({
    detail: `${why}. It is safe to send the same request again`,
  });
});

test('a client that leaves while its identity token is checked is not waited for', async () => {
  const request = new IncomingMessage(new Socket());
  request.headers = { 'content-length': '9' };
  const needs = { sourceOf, clock: systemClock, onIntake: () => {} };
  const source = { id: 'ana', name: 'ana', auth: { kind: 'bearer' }, secrets: ['ana'] } as const;
  const callerOf = async () => {
    request.destroy();
    return { kind: 'source', source };
  };
  const answered = answerSource(request, { ...needs, callerOf }, async () => textReply(200, 'ok'));
  await expect(answered).rejects.toThrow('the client has disconnected');
  expect(bufferedBytes()).toBe(0);
});

describe('a source', () => {
  let listener: HttpListener;
  /** Lets the requests that are being answered end, as many as there are. */
  let ends: (() => void)[];
  let counted: string[];

  beforeEach(async () => {
    ends = [];
    counted = [];
    const onIntake = (result: string) => void counted.push(result);
    const needs = { sourceOf, clock: systemClock, onIntake };
    const path = (name: string) => ({
      method: 'POST' as const,
      path: name,
      handle: (request: Parameters<typeof answerSource>[0]) =>
        answerSource(request, needs, async ({ name }, body) => {
          if (body.toString() === 'fail') throw new Error('our own mistake');
          if (body.toString() === 'slow') await new Promise<void>((end) => ends.push(end));
          return textReply(200, `${name}: ${body}`);
        }),
    });
    listener = await createHttpListener({
      host: '127.0.0.1',
      port: 0,
      routes: [path('/one'), path('/two')],
      isReady: () => true,
      metrics: createMetrics(),
      logger: fake<Logger>({ error() {} }),
      // What it waits for before it closes a connection is not the point.
      timers: { ...systemTimers, after: (ms, end) => systemTimers.after(ms / 20, end) },
    });
  });
  afterEach(async () => {
    for (const end of ends) end();
    await listener.stop(1_000);
  });

  const send = (name: string, body: string, path = '/one') =>
    fetch(`${listener.url}${path}`, {
      method: 'POST',
      body,
      headers: { authorization: `Bearer ${name}` },
    });
  /** The beginning of the answer to a request of Ana's. Of many, each costs much less than a `fetch`. */
  const sendPlainly = async (body: string) => {
    const socket = connect(listener.port, '127.0.0.1');
    const head = 'POST /one HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ana\r\nconnection: close';
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const [answer] = await once(socket, 'data');
    return String(answer).split('\r\n', 1)[0];
  };
  const fill = async () => {
    const slow = Array.from({ length: MOST_AT_ONCE }, () => sendPlainly('slow'));
    await vi.waitUntil(() => ends.length === MOST_AT_ONCE, { timeout: 60_000, interval: 5 });
    return slow;
  };

  test('with too many requests in progress gets 429 on every path, and other sources do not', async () => {
    await fill();
    for (const path of ['/one', '/two']) {
      const refused = await send('ana', 'more', path);
      expect(refused.status).toBe(429);
      expect(refused.headers.get('retry-after')).toBe('1');
      expect(refused.headers.get('content-type')).toBe('application/problem+json');
      expect(await refused.json()).toMatchObject({ status: 429, title: 'Too many requests' });
      expect(await (await send('ben', 'mine', path)).text()).toBe('ben: mine');
    }
    expect((await send('nobody', 'more')).status).toBe(401);
  });

  test.each(['svix-signature', 'x-hub-signature-256', 'Stripe-Signature'])(
    'that sends %s is told which signature headers are expected',
    async (name) => {
      const headers = { [name]: 'v1,AAAA', 'svix-id': 'msg_1' };
      const refused = await fetch(`${listener.url}/one`, { method: 'POST', body: '{}', headers });
      expect(await refused.json()).toMatchObject({
        status: 401,
        detail: expect.stringMatching(
          /^Looked for the headers webhook-id, webhook-timestamp and web/,
        ),
      });
    },
  );

  test('whose signature is wrong is not told about other headers', async () => {
    const headers = { 'webhook-signature': 'v1,AAAA', 'svix-signature': 'v1,AAAA' };
    const refused = await fetch(`${listener.url}/one`, { method: 'POST', body: '{}', headers });
    expect(await refused.json()).toMatchObject({ detail: expect.stringMatching(/^Send your sou/) });
  });

  test.each([
    ['nobody', 100, '401 Unauthorized'],
    ['nobody', 64 * 1024 + 1, '413 Payload Too Large'],
  ])('called %s is refused before its %i bytes are sent: %s', async (name, length, expected) => {
    const head = `POST /one HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${name}\r\n`;
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(`${head}content-length: ${length}\r\n\r\n{`);
    const [answer] = await once(socket, 'data');
    expect(String(answer)).toContain(`HTTP/1.1 ${expected}\r\n`);
    expect(String(answer)).toMatch(/^connection: close/im);
    await once(socket.resume(), 'close');
  });

  test('is served again as soon as one of its requests has ended', async () => {
    const slow = await fill();
    expect((await send('ana', 'more')).status).toBe(429);
    ends.pop()?.();
    await Promise.race(slow);
    expect(await (await send('ana', 'more')).text()).toBe('ana: more');
  });

  test('is counted with each answer, including errors, but not without one', async () => {
    const large = 'x'.repeat(64 * 1024 + 1);
    const sent = [
      ['ana', 'fail'],
      ['ana', 'fine'],
      ['nobody', ''],
      ['ana', large],
    ] as const;
    for (const [name, body] of sent) await send(name, body);
    const socket = connect(listener.port, '127.0.0.1');
    const head = 'POST /one HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ana\r\n';
    socket.write(`${head}content-length: 9\r\n\r\n{`, () => socket.resetAndDestroy());
    await once(socket, 'close');
    await send('ben', 'last');
    expect(counted).toEqual(['500', '200', '401', '413', '200']);
  });

  test('does not lose a slot when its requests fail', async () => {
    const failed = 'HTTP/1.1 500 Internal Server Error';
    for (let i = 0; i < MOST_AT_ONCE + 1; i += 1) expect(await sendPlainly('fail')).toBe(failed);
    expect((await send('ana', 'more')).status).toBe(200);
  });
});
