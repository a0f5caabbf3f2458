import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import type { App } from '@slack/bolt';
import { vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createGiveWay } from '../../../src/core/lib/give-way.ts';
import { NO_PROXIES, type Proxies } from '../../../src/core/lib/proxies.ts';
import { system } from '../../../src/core/lib/system.ts';
import { createBoundary } from '../../../src/core/slack/boundary.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import { SocketReceiver } from '../../../src/core/slack/socket-receiver.ts';
import { fake } from '../../support/fake.ts';
import { type Answer, startFakeSlack } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

/** The receiver before a stand-in for Slack that greets, and then does what the test does. */
export async function startSocketStage(
  options: {
    /** Instead of Bolt, which acknowledges. */
    readonly processEvent?: App['processEvent'];
    /** Instead of an address. */
    readonly refuse?: () => ReturnType<Answer>;
    readonly greets?: boolean;
    readonly proxies?: Proxies;
  } = {},
) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  // A server that listens on a port has an address of this form.
  const { port } = server.address() as AddressInfo;
  const sockets: WebSocket[] = [];
  const answers: unknown[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (data) => answers.push(JSON.parse(String(data))));
    if (options.greets !== false) socket.send(JSON.stringify({ type: 'hello' }));
  });
  const slack = await startFakeSlack(
    () => options.refuse?.() ?? { ok: true, url: `ws://127.0.0.1:${port}` },
  );
  const sink = createLogSink();
  const counts: number[] = [];
  const failures: unknown[] = [];
  const needs = {
    ...system,
    logger: sink.logger,
    // Pauses are a tenth of the real ones.
    timers: {
      ...system.timers,
      sleep: (ms: number, signal?: AbortSignal) => system.timers.sleep(ms / 10, signal),
    },
    random: { ...system.random, fraction: () => 0.5 },
  };
  const receiver = new SocketReceiver({
    ...needs,
    boundary: createBoundary({
      ...needs,
      replies: fake<Replies>({}),
      offSentence: () => undefined,
      newReference: () => 'REF7',
      giveWay: createGiveWay(system),
    }),
    appToken: 'xapp-secret',
    apiUrl: slack.apiUrl,
    proxies: options.proxies ?? NO_PROXIES,
    onConnected: (count) => counts.push(count),
    onAnswered: () => {},
  });
  const { processEvent = ({ ack }) => ack() } = options;
  receiver.init(fake<App>({ processEvent }));
  void receiver.failed.then((error) => failures.push(error));
  return {
    slack,
    sink,
    receiver,
    /** Every connection that was ever made, in order. */
    sockets,
    /** What came over them. */
    answers,
    /** How many stood, at each change. */
    counts,
    failures,
    /** Waits until something is so. */
    until: (isSo: () => boolean, timeout = 60_000) => vi.waitUntil(isSo, { timeout, interval: 5 }),
    async [Symbol.asyncDispose]() {
      await receiver.stop();
      for (const socket of server.clients) socket.terminate();
      server.close();
      await slack[Symbol.asyncDispose]();
    },
  };
}

/** Sends an envelope. */
export function send(socket: WebSocket | undefined, envelope: object): void {
  socket?.send(JSON.stringify({ envelope_id: 'E1', type: 'interactive', ...envelope }));
}
