import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import type { App } from '@slack/bolt';
import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { BUFFERED_MAX, bufferedBytes } from '../../../src/core/http/read-body.ts';
import { system } from '../../../src/core/lib/system.ts';
import type { Boundary } from '../../../src/core/slack/boundary.ts';
import { HttpReceiver } from '../../../src/core/slack/http-receiver.ts';
import { fake } from '../../support/fake.ts';
import { click, FORM, signatureHeaders, startStage } from './slack-stage.ts';

describe('a request', () => {
  const go = click('demo.go', undefined);

  async function startCounting() {
    let clicks = 0;
    const stage = await startStage((bolt) => {
      bolt.action('demo.go', async ({ ack }) => {
        clicks += 1;
        await ack();
      });
    });
    return Object.assign(stage, { clicks: () => clicks });
  }

  it.each([
    ['signed by somebody else', { secret: 'other' }],
    ['without a signature', { headers: { 'x-slack-signature': '' } }],
    ['of another signature version', { headers: { 'x-slack-signature': 'v1=00' } }],
    ['6 minutes old', { aheadS: -360 }],
    ['6 minutes ahead', { aheadS: 360 }],
    ['without a time', { headers: { 'x-slack-request-timestamp': '' } }],
    ['with a time that is no number', { headers: { 'x-slack-request-timestamp': '1e9' } }],
  ])('%s is refused', async (_, signing) => {
    await using stage = await startCounting();
    expect(await stage.interact(go, signing)).toEqual({ status: 401, text: '' });
    expect(stage.clicks()).toBe(0);
  });

  it('is refused when there is no signing secret, even if signed with an empty one', async () => {
    const now = Date.now();
    const seconds = String(Math.floor(now / 1_000));
    const body = Buffer.from('payload={}');
    const mac = createHmac('sha256', '').update(`v0:${seconds}:`).update(body).digest('hex');
    const headers = {
      'content-type': FORM,
      'x-slack-request-timestamp': seconds,
      'x-slack-signature': `v0=${mac}`,
    };
    const receiver = new HttpReceiver({
      ...system,
      signingSecret: '',
      boundary: fake<Boundary>({}),
      now: () => now,
      logger: pino({ level: 'silent' }),
      onRefused: () => {},
      onAnswered: () => {},
    });
    const processEvent = vi.fn();
    receiver.init(fake<App>({ processEvent }));
    expect(await receiver.handle({ headers, body })).toMatchObject({ status: 401 });
    expect(processEvent).not.toHaveBeenCalled();
  });

  it.each([{ aheadS: -290 }, { aheadS: 290 }])(
    'with a timestamp within 5 minutes is accepted: %o',
    async (signing) => {
      await using stage = await startCounting();
      expect(await stage.interact(go, signing)).toEqual({ status: 200, text: '' });
      expect(stage.clicks()).toBe(1);
    },
  );

  it('may name a charset', async () => {
    await using stage = await startCounting();
    const text = new URLSearchParams({ payload: JSON.stringify(go) }).toString();
    expect(await stage.sendText(text, `${FORM}; charset=utf-8`)).toMatchObject({ status: 200 });
    expect(stage.clicks()).toBe(1);
  });

  it.each([
    ['text/plain', 'x', 415],
    ['application/json', '{', 400],
    ['application/json', 'null', 400],
    [FORM, 'payload={', 400],
    [FORM, `payload=${'x'.repeat(1024 * 1024)}`, 413],
  ])('of %s that cannot be read is refused', async (contentType, text, expected) => {
    await using stage = await startCounting();
    expect(await stage.sendText(text, contentType)).toMatchObject({ status: expected });
  });

  it('to check the certificate needs no signature, and no payload in it is handled', async () => {
    await using stage = await startCounting();
    const text = new URLSearchParams({ ssl_check: '1', payload: JSON.stringify(go) }).toString();
    expect(await stage.sendText(text, FORM, { secret: 'other' })).toEqual({
      status: 200,
      text: '',
    });
    expect(stage.clicks()).toBe(0);
  });

  it('to verify the address gets its challenge back', async () => {
    await using stage = await startCounting();
    const answer = await stage.event({ type: 'url_verification', challenge: 'c1' });
    expect(JSON.parse(answer.text)).toEqual({ challenge: 'c1' });
    const odd = await stage.event({ type: 'url_verification', challenge: { toString: 1 } });
    expect(odd).toMatchObject({ status: 400, text: '' });
  });

  it('by GET is refused, and the process goes on', async () => {
    await using stage = await startCounting();
    const response = await fetch(stage.endpoint);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await stage.interact(go)).toMatchObject({ status: 200 });
  });
});

describe('a request with an unfinished body', () => {
  const HALF = 512 * 1024;
  const go = click('demo.go', undefined);

  /** Announces twice as much as it sends, and keeps the connection open. Gives what is answered. */
  function sendHalf(endpoint: string, headers: Readonly<Record<string, string>>) {
    const { port, pathname } = new URL(endpoint);
    const given = { 'content-type': FORM, 'content-length': 2 * HALF, ...headers };
    const lines = Object.entries(given).map(([name, value]) => `${name}: ${value}\r\n`);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`POST ${pathname} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`);
    socket.write(Buffer.alloc(HALF, 'x'));
    socket.on('error', () => {});
    const answered = once(socket, 'data').then(([data]) => String(data).split('\r\n', 1)[0]);
    return { socket, answered };
  }

  it('is refused before its body is read when its signature cannot be valid', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', ({ ack }) => ack()));
    const stale = signatureHeaders({ text: '', aheadS: -360 });
    const requests = [
      {},
      { 'x-slack-signature': 'v0=no', 'x-slack-request-timestamp': '1800000000' },
      stale,
    ].map((headers) => sendHalf(stage.endpoint, headers));
    for (const { answered } of requests) expect(await answered).toBe('HTTP/1.1 401 Unauthorized');
    expect(bufferedBytes()).toBe(0);
    await Promise.all(requests.map(({ socket }) => once(socket, 'close')));
  });

  it('shares a limited buffer with all others, and clicks are still handled', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', ({ ack }) => ack()));
    const forged = signatureHeaders({ text: 'something else' });
    const fits = Math.floor(BUFFERED_MAX / HALF);
    const answers: string[] = [];
    const requests = Array.from({ length: 2 * fits }, () => {
      const request = sendHalf(stage.endpoint, forged);
      request.answered.then((line) => answers.push(line ?? ''));
      return request;
    });
    let most = 0;
    await vi.waitUntil(
      async () => {
        most = Math.max(most, bufferedBytes());
        expect(await stage.interact(go)).toEqual({ status: 200, text: '' });
        most = Math.max(most, bufferedBytes());
        return answers.length >= fits;
      },
      { timeout: 60_000, interval: 5 },
    );
    expect(most).toBeLessThanOrEqual(BUFFERED_MAX);
    expect(bufferedBytes()).toBeGreaterThan(BUFFERED_MAX / 2);
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 503 Service Unavailable']));
    expect(await stage.metrics()).toMatch(/^gatepost_http_buffered_bytes \d{7,8}$/m);
    for (const { socket } of requests) socket.destroy();
    await vi.waitUntil(() => bufferedBytes() === 0, { timeout: 60_000 });
  });
});
