import type { Logger } from 'pino';
import { z } from 'zod';
import { connectThrough } from '../http/exchange.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import type { Proxies } from '../lib/proxies.ts';
import type { Random } from '../lib/random.ts';
import type { Timers } from '../lib/timers.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { SlackReply } from './acknowledgement.ts';
import type { IncomingEvent } from './boundary.ts';
import { keepSocketLine } from './keep-socket-line.ts';
import { createSlackFetch, slackConnections } from './slack-fetch.ts';
import { openSocketLine, type Received } from './socket-line.ts';

export interface SocketReceiverNeeds {
  readonly appToken: string;
  /** null: Slack's own. */
  readonly apiUrl: string | null;
  readonly proxies: Proxies;
  readonly logger: Logger;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  readonly random: Random;
  /** Answers what an envelope contains. Never rejects. */
  readonly deliver: (event: IncomingEvent) => Promise<SlackReply>;
  /** Called with the number of open connections, on each change. */
  readonly onConnected: (count: number) => void;
  /** Called when nothing more will arrive: Slack has rejected the token (SlackStartError). */
  readonly onFailed: (error: unknown) => void;
}

export interface SocketReceiver {
  /** The number of open connections. */
  readonly connected: number;
  /**
   * Starts connecting, and keeps doing so; resolves after the first try, successful or not. Throws SlackStartError when
   * Slack rejects the token.
   */
  start(): Promise<void>;
  /** Acknowledges what was received, within a second, and takes no more. */
  stop(): Promise<void>;
}

/** Slack replaces each connection every few hours; the other one keeps receiving. */
const LINES = 2;
const LAST_ANSWERS_MS = 1_000;

/** Receives over Socket Mode what `POST /slack/events` receives over HTTP. */
export function createSocketReceiver(needs: SocketReceiverNeeds): SocketReceiver {
  const { logger, timers } = needs;
  const stopping = new AbortController();
  const { signal } = stopping;
  const answers = new Set<Promise<void>>();
  const connections = slackConnections(connectThrough(needs.proxies));
  const fetch = createSlackFetch(connections);
  let connected = 0;

  const onEnvelope = (received: Received) => {
    const done = answer(received, needs).finally(() => answers.delete(done));
    answers.add(done);
  };
  const count = (change: 1 | -1) => {
    connected += change;
    needs.onConnected(connected);
    if (connected === 1 && change === 1) logger.info({}, 'connected to Slack');
    if (connected === 0 && !signal.aborted) logger.warn({}, 'not connected to Slack');
  };
  const open = () => openSocketLine({ ...needs, fetch, signal, onEnvelope });
  return {
    get connected() {
      return connected;
    },
    start: () =>
      new Promise((resolve, reject) => {
        const fail = (error: unknown) => {
          reject(error);
          needs.onFailed(error);
        };
        const line = { ...needs, open, count, signal, onTried: resolve };
        for (let made = 0; made < LINES; made += 1) keepSocketLine(line).catch(fail);
      }),
    async stop() {
      const all = Promise.all(answers);
      await waitFor(all, 'stop', { deadlineMs: LAST_ANSWERS_MS, timers }).catch(() => {});
      stopping.abort();
    },
  };
}

async function answer(received: Received, { deliver, logger }: SocketReceiverNeeds): Promise<void> {
  const { event, takesContent } = readEnvelope(received);
  const reply = await deliver(event);
  // Without an answer, Slack shows the person that it failed.
  if (reply.status !== 200) return;
  try {
    await received.ack(takesContent ? contentOf(reply) : undefined);
  } catch {
    // Its connection is gone: Slack treats it as unanswered.
    logger.warn({}, 'an acknowledgement could not be sent');
  }
}

/** What the library passes on from the socket. */
const envelope = z.looseObject({
  /** The members of the command, interaction or event itself. */
  body: z.record(z.string(), z.unknown()).catch({}),
  retry_num: z.number().optional().catch(undefined),
  retry_reason: z.string().optional().catch(undefined),
  accepts_response_payload: z.boolean().catch(false),
});

interface Envelope {
  readonly event: IncomingEvent;
  /** Whether Slack uses the content of the acknowledgement. */
  readonly takesContent: boolean;
}

/** Reads loosely: anything unknown becomes an event without a listener. */
function readEnvelope(value: unknown): Envelope {
  const read = envelope.parse(value);
  return {
    event: {
      body: read.body,
      ...(read.retry_num !== undefined && { retryNum: read.retry_num }),
      ...(read.retry_reason !== undefined && { retryReason: read.retry_reason }),
    },
    takesContent: read.accepts_response_payload,
  };
}

/** A response's content for the envelope; undefined: only an acknowledgement. */
function contentOf({ headers, body }: SlackReply): object | undefined {
  if (body === '') return undefined;
  const isJson = headers['content-type']?.startsWith('application/json');
  return isJson ? { ...JSON.parse(body) } : { text: body };
}
