import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { keepSocketLine } from '../../../src/core/slack/keep-socket-line.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { status } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';
import { EMPTY, send, startSocketStage } from './socket-stage.ts';

describe('an envelope', () => {
  test('is delivered with its body and its retry, and acknowledged when it was answered', async () => {
    const events: unknown[] = [];
    let answer: () => void = () => {};
    await using stage = await startSocketStage({
      async deliver(event) {
        events.push(event);
        await new Promise<void>((resolve) => {
          answer = resolve;
        });
        return EMPTY;
      },
    });
    await stage.receiver.start();
    const payload = { type: 'block_actions', user: { id: 'U1' } };
    send(stage.sockets[0], { payload, retry_attempt: 2, retry_reason: 'timeout' });
    await stage.until(() => events.length === 1);
    expect(stage.answers).toEqual([]);
    answer();
    await stage.until(() => stage.answers.length === 1);
    // The library says so for what is no event of the Events API, too.
    expect(events).toEqual([{ body: payload, retryNum: 2, retryReason: 'timeout' }]);
    expect(stage.answers).toEqual([{ envelope_id: 'E1', payload: {} }]);
  });

  const asJson = { 'content-type': 'application/json; charset=utf-8' };
  const asText = { 'content-type': 'text/plain; charset=utf-8' };
  test.each([
    ['JSON where Slack takes an answer', asJson, '{"text":"Hi"}', true, { text: 'Hi' }],
    ['a text where Slack takes an answer', asText, 'Hi', true, { text: 'Hi' }],
    ['nothing where Slack takes none', asJson, '{"text":"Hi"}', false, {}],
  ])('is answered with %s', async (_, headers, body, accepts_response_payload, payload) => {
    await using stage = await startSocketStage({
      deliver: async () => ({ status: 200, headers, body }),
    });
    await stage.receiver.start();
    send(stage.sockets[0], { type: 'slash_commands', payload: {}, accepts_response_payload });
    await stage.until(() => stage.answers.length === 1);
    expect(stage.answers).toEqual([{ envelope_id: 'E1', payload }]);
  });

  test('that cannot be read is acknowledged', async () => {
    const events: unknown[] = [];
    await using stage = await startSocketStage({
      async deliver(event) {
        events.push(event);
        return EMPTY;
      },
    });
    await stage.receiver.start();
    send(stage.sockets[0], { payload: 'what?', retry_attempt: 'often' });
    await stage.until(() => stage.answers.length === 1);
    expect(events).toEqual([{ body: {} }]);
  });

  test('that failed is not acknowledged, so that Slack shows the failure', async () => {
    const replies = [{ ...EMPTY, status: 503 }, EMPTY];
    await using stage = await startSocketStage({ deliver: async () => replies.shift() ?? EMPTY });
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    send(stage.sockets[0], { envelope_id: 'E1', payload: {} });
    send(stage.sockets[0], { envelope_id: 'E2', payload: {} });
    await stage.until(() => stage.answers.length > 0);
    expect(stage.answers).toEqual([{ envelope_id: 'E2', payload: {} }]);
  });

  test('whose connection is gone causes only a log entry', async () => {
    let answer: (() => void) | undefined;
    await using stage = await startSocketStage({
      deliver: () =>
        new Promise((resolve) => {
          answer = () => resolve(EMPTY);
        }),
    });
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    send(stage.sockets[0], { payload: {} });
    await stage.until(() => answer !== undefined);
    stage.sockets[0]?.terminate();
    await stage.until(() => stage.counts.at(-1) === 1);
    answer?.();
    await stage.until(() => stage.sink.text().includes('an acknowledgement could not be sent'));
  });
});

describe('connections', () => {
  test('leave no listeners on the signal that ends them', async () => {
    const stopping = new AbortController();
    const { signal } = stopping;
    const left: number[] = [];
    let now = 0;
    await keepSocketLine({
      async open() {
        left.push(getEventListeners(signal, 'abort').length);
        if (left.length === 5) stopping.abort();
        return { ended: Promise.resolve(), close: () => {} };
      },
      count: () => {},
      onTried: () => {},
      signal,
      logger: createLogSink().logger,
      clock: {
        monotonic() {
          now += 60_000;
          return now;
        },
      },
      timers: systemTimers,
      random: { ...systemRandom, fraction: () => 0 },
    });
    expect(left).toEqual([0, 0, 0, 0, 0]);
  });

  test('are two, so that one receives while the other is replaced', async () => {
    await using stage = await startSocketStage();
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    const [first] = stage.sockets;
    first?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
    await stage.until(() => stage.sockets.length === 3 && stage.receiver.connected === 2);
    expect(stage.counts).toEqual([1, 2, 1, 2]);
  });

  test('are replaced although Slack leaves the old ones open', async () => {
    await using stage = await startSocketStage();
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    const old = [...stage.sockets];
    for (const socket of old) {
      // No answer to the library's goodbye.
      socket.pause();
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'warning' }));
    }
    await stage.until(() => stage.receiver.connected === 0);
    await stage.until(() => stage.receiver.connected === 2, 4_000);
    expect(old.map(({ readyState }) => readyState)).toEqual([1, 1]);
  });

  test('are made again after they break', async () => {
    await using stage = await startSocketStage();
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    for (const socket of stage.sockets) socket.terminate();
    await stage.until(() => stage.receiver.connected === 0);
    await stage.until(() => stage.receiver.connected === 2);
    expect(stage.sink.text()).toContain('not connected to Slack');
  });

  test.each([
    ['an error of the server', status(500)],
    ['a rate limit', status(429, '', { 'retry-after': '1' })],
    ['a passing error of Slack', { ok: false, error: 'internal_error' }],
    ['a refusal by something before Slack', status(403)],
  ])('are made in spite of %s at first', async (_, refusal) => {
    let left = 2;
    await using stage = await startSocketStage({
      refuse: () => (left-- > 0 ? refusal : undefined),
    });
    await stage.receiver.start();
    expect(stage.receiver.connected).toBe(0);
    await stage.until(() => stage.receiver.connected === 2);
    expect(stage.failures).toEqual([]);
  });

  test('without a hello from Slack do not count as connected', async () => {
    await using stage = await startSocketStage({ greets: false });
    const started = stage.receiver.start();
    await stage.until(() => stage.sockets.length === 2);
    expect(stage.receiver.connected).toBe(0);
    for (const socket of stage.sockets) socket.close();
    await started;
    expect(stage.receiver.connected).toBe(0);
    expect(stage.sink.text()).toContain('socket_closed');
  });
});

describe('an app token that Slack does not accept', () => {
  test.each(['invalid_auth', 'not_allowed_token_type'])(
    'with %s fails the start',
    async (error) => {
      await using stage = await startSocketStage({ refuse: () => ({ ok: false, error }) });
      await expect(stage.receiver.start()).rejects.toMatchObject({
        name: 'SlackStartError',
        message: `Slack does not accept SLACK_APP_TOKEN (${error})`,
      });
      expect(stage.sink.text()).not.toContain('xapp-secret');
    },
  );

  test('later on is reported, and no further connection is tried', async () => {
    let isRevoked = false;
    await using stage = await startSocketStage({
      refuse: () => (isRevoked ? { ok: false, error: 'token_revoked' } : undefined),
    });
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    isRevoked = true;
    for (const socket of stage.sockets) socket.terminate();
    await stage.until(() => stage.failures.length === 2);
    expect(stage.failures[0]).toMatchObject({ code: 'token_revoked' });
  });
});

describe('a stop', () => {
  test('acknowledges requests in progress, then closes, and opens nothing again', async () => {
    let answer: (() => void) | undefined;
    await using stage = await startSocketStage({
      deliver: () =>
        new Promise((resolve) => {
          answer = () => resolve(EMPTY);
        }),
    });
    await stage.receiver.start();
    await stage.until(() => stage.receiver.connected === 2);
    send(stage.sockets[1], { payload: {} });
    await stage.until(() => answer !== undefined);
    const stopped = stage.receiver.stop();
    expect(stage.receiver.connected).toBe(2);
    answer?.();
    await stopped;
    await stage.until(() => stage.sockets.every(({ readyState }) => readyState === 3));
    expect(stage.answers).toEqual([{ envelope_id: 'E1', payload: {} }]);
    expect(stage.receiver.connected).toBe(0);
    expect(stage.sockets).toHaveLength(2);
  });

  test('closes connections that are being opened', async () => {
    await using stage = await startSocketStage({ greets: false });
    const started = stage.receiver.start();
    await stage.until(() => stage.sockets.length === 2);
    await stage.receiver.stop();
    await started;
    await stage.until(() => stage.sockets.every(({ readyState }) => readyState === 3));
    expect(stage.counts).toEqual([]);
  });
});

// Broken tunnels: broken-tunnels.test.ts.
describe('through a proxy', () => {
  test('a refused tunnel is a failed try', async () => {
    await using proxy = await startConnectProxy();
    proxy.way = { kind: 'refuse', status: 403 };
    const server = { variable: 'HTTP_PROXY', url: proxy.url };
    await using stage = await startSocketStage({
      proxies: { http: server, https: server, noProxy: '' },
    });
    await stage.receiver.start();
    expect(stage.receiver.connected).toBe(0);
    expect(stage.sink.text()).toContain('proxy_http_403');
    proxy.way = { kind: 'open' };
    await stage.until(() => stage.receiver.connected === 2);
  });
});
