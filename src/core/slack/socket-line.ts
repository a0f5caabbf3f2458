import type { webApi } from '@slack/bolt';
import { SocketModeClient } from '@slack/socket-mode';
import * as z from 'zod';
import { socketDispatcher } from '../http/exchange.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { hasProxy, type Proxies } from '../lib/proxies.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import { slackFailure } from './slack-failure.ts';
import { slackLogger } from './slack-logger.ts';
import { clientOptions, type WebClientsOptions } from './web-clients.ts';

/** One Socket Mode connection. */
export interface SocketLine {
  /** Resolves when Slack will send nothing more over it. */
  readonly ended: Promise<void>;
  close(): void;
}

/** What the library emits for each envelope. */
export interface Received {
  readonly ack: (content?: object) => Promise<void>;
  readonly [member: string]: unknown;
}

interface SocketLineNeeds extends Omit<WebClientsOptions, 'botToken'> {
  readonly appToken: string;
  readonly fetch: webApi.FetchFunction;
  /** Without proxies the library connects directly. */
  readonly proxies: Proxies;
  readonly onEnvelope: (received: Received) => void;
  /** Called with the number of connections that the app has, this one included, as Slack counts them. */
  readonly onGreeting?: ((connections: number) => void) | undefined;
  /** Cancels opening the connection. */
  readonly signal: AbortSignal;
  readonly timers: Timers;
}

const OPEN = 'apps.connections.open';
const OPEN_MS = 10_000;

/**
 * Opens a connection and waits for Slack's greeting. Throws RemoteFailure. The library's own reconnection is off: it
 * starts only 5 to 12 s after the old connection has ended, because Slack leaves that open, and some of its failures
 * are unhandled rejections.
 */
export async function openSocketLine(needs: SocketLineNeeds): Promise<SocketLine> {
  const road = hasProxy(needs.proxies) ? socketDispatcher(needs.proxies, OPEN_MS) : null;
  const client = new SocketModeClient({
    appToken: needs.appToken,
    autoReconnectEnabled: false,
    logger: slackLogger(needs.logger),
    clientOptions: { ...clientOptions(needs), timeout: OPEN_MS },
    ...(road && { dispatcher: road.dispatcher }),
  });
  client.on('slack_event', needs.onEnvelope);
  const ended = new Promise<void>((resolve) => {
    client.once('disconnected', () => {
      road?.destroy();
      resolve();
    });
    client.on('ws_message', (frame: unknown) => {
      const said = readFrame(frame);
      if (said?.type === 'disconnect') resolve();
      if (said?.type === 'hello') needs.onGreeting?.(said.num_connections);
    });
  });
  const close = () => void client.disconnect();
  // It rejects with undefined when the connection ends before the greeting.
  const started = client.start().catch((error: unknown) => {
    throw error ?? socketClosed();
  });
  const closed = ended.then(() => {
    throw socketClosed();
  });
  try {
    const patience = { signal: needs.signal, deadlineMs: OPEN_MS, timers: needs.timers };
    await waitFor(Promise.race([closed, started]), OPEN, patience);
  } catch (error) {
    close();
    // If stopped while asking for the address, the library connects anyway.
    started.then(close, () => {});
    throw slackFailure(OPEN, error);
  }
  return { ended, close };
}

function socketClosed(): RemoteFailure {
  return new RemoteFailure(OPEN, { class: 'ambiguous', code: 'socket_closed' });
}

const frameSchema = z.discriminatedUnion('type', [
  /** Slack asks for the connection to be replaced: the library then closes it at once. */
  z.looseObject({ type: z.literal('disconnect') }),
  z.looseObject({ type: z.literal('hello'), num_connections: z.number().catch(1) }),
]);

/** What Slack says about the connection itself; undefined: something else. */
function readFrame(frame: unknown): z.infer<typeof frameSchema> | undefined {
  if (typeof frame !== 'string' || !/"(disconnect|hello)"/.test(frame)) return undefined;
  try {
    return frameSchema.safeParse(JSON.parse(frame)).data;
  } catch {
    return undefined;
  }
}
