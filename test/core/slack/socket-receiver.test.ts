import { getEventListeners } from 'node:events';
import type { ReceiverEvent } from '@slack/bolt';
import { describe, expect, test } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { Incoming } from '../../../src/core/slack/incoming.ts';
import { keepSocketLine } from '../../../src/core/slack/keep-socket-line.ts';
import { startConnectProxy } from '../../support/connect-proxy.ts';
import { status } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';
import { click } from './slack-stage.ts';
import { send, startSocketStage } from './socket-stage.ts';

const payload = click('demo.go', undefined);

/** Bolt, as far as an envelope has it: acknowledges once the test says so. */
function holding() {
  const events: ReceiverEvent[] = [];
  let answer: (() => void) | undefined;
  return {
    events,
    async processEvent(event: ReceiverEvent) {
      events.push(event);
      await new Promise<void>((resolve) => {
        answer = resolve;
      });
      await event.ack();
    },
    answer: () => answer?.(),
  };
}

describe('an envelope', () => {
  test('is passed on with its body and its retry, and acknowledged when it was answered', async () => {
    const bolt = holding();
    await using stage = await startSocketStage(bolt);
    await stage.receiver.start();
    send(stage.sockets[0], { payload, retry_attempt: 2, retry_reason: 'timeout' });
    await stage.until(() => bolt.events.length === 1);
    expect(stage.answers).toEqual([]);
    bolt.answer();
    await stage.until(() => stage.answers.length === 1);
    // The library says so for what is no event of the Events API, too.
    const retry = { retryNum: 2, retryReason: 'timeout' };
    const customProperties = { incoming: expect.any(Incoming) };
    const ack = expect.any(Function);
    const body = JSON.parse(JSON.stringify(payload));
    expect(bolt.events).toEqual([{ body, ...retry, ack, customProperties }]);
    expect(stage.answers).toEqual([{ envelope_id: 'E1', payload: {} }]);
  });

  test.each([
    ['JSON where Slack takes an answer', { text: 'Hi' }, true, { text: 'Hi' }],
    ['a text where Slack takes an answer', 'Hi', true, { text: 'Hi' }],
    ['nothing where Slack takes none', { text: 'Hi' }, false, {}],
  ])('is answered with %s', async (_, content, accepts_response_payload, answer) => {
    await using stage = await startSocketStage({ processEvent: ({ ack }) => ack(content) });
    await stage.receiver.start();
    send(stage.sockets[0], { payload, accepts_response_payload });
    await stage.until(() => stage.answers.length === 1);
    expect(stage.answers).toEqual([{ envelope_id: 'E1', payload: answer }]);
  });

  test('that cannot be read is acknowledged', async () => {
    const bolt = holding();
    await using stage = await startSocketStage(bolt);
    await stage.receiver.start();
    send(stage.sockets[0], { payload: 'what?', retry_attempt: 'often' });
    await stage.until(() => stage.answers.length === 1);
    expect(bolt.events).toEqual([]);
    expect(stage.sink.text()).toContain('unexpected payload from Slack');
  });

  test('that failed is not acknowledged, so that Slack shows the failure', async () => {
    let isBroken = true;
    await using stage = await startSocketStage({
      async processEvent({ ack }) {
        if (isBroken) throw new Error('Bolt is broken');
        await ack();
      },
    });
    await stage.receiver.start();
    await stage.until(() => stage.receiver.isConnected);
    send(stage.sockets[0], { envelope_id: 'E1', payload });
    await stage.until(() => stage.sink.text().includes('Bolt could not handle a request'));
    isBroken = false;
    send(stage.sockets[0], { envelope_id: 'E2', payload });
    await stage.until(() => stage.answers.length > 0);
    expect(stage.answers).toEqual([{ envelope_id: 'E2', payload: {} }]);
  });

  test('whose connection is gone causes only a log entry', async () => {
    const bolt = holding();
    await using stage = await startSocketStage(bolt);
    await stage.receiver.start();
    await stage.until(() => stage.counts.at(-1) === 2);
    send(stage.sockets[0], { payload });
    await stage.until(() => bolt.events.length === 1);
    stage.sockets[0]?.terminate();
    await stage.until(() => stage.counts.at(-1) === 1);
    bolt.answer();
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
    await stage.until(() => stage.counts.at(-1) === 2);
    const [first] = stage.sockets;
    first?.send(JSON.stringify({ type: 'disconnect', reason: 'refresh_requested' }));
    await stage.until(() => stage.sockets.length === 3 && stage.counts.at(-1) === 2);
    expect(stage.counts).toEqual([1, 2, 1, 2]);
  });

  test('are replaced although Slack leaves the old ones open', async () => {
    await using stage = await startSocketStage();
    await stage.receiver.start();
    await stage.until(() => stage.counts.at(-1) === 2);
    const old = [...stage.sockets];
    for (const socket of old) {
      // No answer to the library's goodbye.
      socket.pause();
      socket.send(JSON.stringify({ type: 'disconnect', reason: 'warning' }));
    }
    await stage.until(() => stage.counts.at(-1) === 0);
    await stage.until(() => stage.counts.at(-1) === 2, 4_000);
    expect(old.map(({ readyState }) => readyState)).toEqual([1, 1]);
  });

  test('are made again after they break', async () => {
    await using stage = await startSocketStage();
    await stage.receiver.start();
    await stage.until(() => stage.counts.at(-1) === 2);
    for (const socket of stage.sockets) socket.terminate();
    await stage.until(() => stage.counts.at(-1) === 0);
    await stage.until(() => stage.counts.at(-1) === 2);
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
    expect(stage.receiver.isConnected).toBe(false);
    await stage.until(() => stage.counts.at(-1) === 2);
    expect(stage.failures).toEqual([]);
  });

  test('without a hello from Slack do not count as connected', async () => {
    await using stage = await startSocketStage({ greets: false });
    const started = stage.receiver.start();
    await stage.until(() => stage.sockets.length === 2);
    expect(stage.receiver.isConnected).toBe(false);
    for (const socket of stage.sockets) socket.close();
    await started;
    expect(stage.receiver.isConnected).toBe(false);
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
    await stage.until(() => stage.counts.at(-1) === 2);
    isRevoked = true;
    for (const socket of stage.sockets) socket.terminate();
    await stage.until(() => stage.failures.length === 1);
    expect(stage.failures[0]).toMatchObject({ code: 'token_revoked' });
  });
});

describe('a stop', () => {
  test('acknowledges requests in progress, then closes, and opens nothing again', async () => {
    const bolt = holding();
    await using stage = await startSocketStage(bolt);
    await stage.receiver.start();
    await stage.until(() => stage.counts.at(-1) === 2);
    send(stage.sockets[1], { payload });
    await stage.until(() => bolt.events.length === 1);
    const stopped = stage.receiver.stop();
    expect(stage.counts.at(-1)).toBe(2);
    bolt.answer();
    await stopped;
    await stage.until(() => stage.sockets.every(({ readyState }) => readyState === 3));
    expect(stage.answers).toEqual([{ envelope_id: 'E1', payload: {} }]);
    expect(stage.receiver.isConnected).toBe(false);
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
    expect(stage.receiver.isConnected).toBe(false);
    expect(stage.sink.text()).toContain('proxy_http_403');
    proxy.way = { kind: 'open' };
    await stage.until(() => stage.counts.at(-1) === 2);
  });
});
