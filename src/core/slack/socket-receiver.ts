import type { ReceiverEvent, webApi } from '@slack/bolt';
import * as z from 'zod';
import { connectThrough } from '../http/exchange.ts';
import type { Proxies } from '../lib/proxies.ts';
import type { Random } from '../lib/random.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { SlackReply } from './incoming.ts';
import { keepSocketLine } from './keep-socket-line.ts';
import { createSlackFetch, slackConnections } from './slack-fetch.ts';
import { type ReceiverNeeds, SlackReceiver } from './slack-receiver.ts';
import { openSocketLine, type Received } from './socket-line.ts';

export interface SocketReceiverNeeds extends ReceiverNeeds {
  readonly appToken: string;
  /** null: Slack's own. */
  readonly apiUrl: string | null;
  readonly proxies: Proxies;
  readonly random: Random;
  /** Called with the number of open connections, on each change. */
  readonly onConnected: (count: number) => void;
  /** Called with the number of the app's connections, those of other programs included, whenever one opens. */
  readonly onGreeting?: (connections: number) => void;
}

/** Slack replaces each connection every few hours; the other one keeps receiving. */
export const LINES = 2;
const LAST_ANSWERS_MS = 1_000;

/** Receives over Socket Mode what `POST /slack/events` receives over HTTP. */
export class SocketReceiver extends SlackReceiver {
  /** With SlackStartError: Slack has rejected the token. */
  readonly failed: Promise<unknown>;
  readonly #needs: SocketReceiverNeeds;
  readonly #fetch: webApi.FetchFunction;
  readonly #stopping = new AbortController();
  readonly #answers = new Set<Promise<void>>();
  #fail: (error: unknown) => void = () => {};
  #connected = 0;

  constructor(needs: SocketReceiverNeeds) {
    super(needs);
    this.#needs = needs;
    this.#fetch = createSlackFetch(slackConnections(connectThrough(needs.proxies)));
    this.failed = new Promise((resolve) => {
      this.#fail = resolve;
    });
  }

  get isConnected(): boolean {
    return this.#connected > 0;
  }

  /**
   * Starts connecting, and keeps doing so; resolves after the first try, successful or not. Throws SlackStartError when
   * Slack rejects the token.
   */
  start(): Promise<void> {
    const { signal } = this.#stopping;
    const onEnvelope = (received: Received) => {
      const done = this.#answer(received).finally(() => this.#answers.delete(done));
      this.#answers.add(done);
    };
    const count = (change: 1 | -1) => this.#count(change);
    const open = () => openSocketLine({ ...this.#needs, fetch: this.#fetch, signal, onEnvelope });
    return new Promise((onTried, reject) => {
      const fail = (error: unknown) => {
        reject(error);
        this.#fail(error);
      };
      const line = { ...this.#needs, open, count, signal, onTried };
      for (let made = 0; made < LINES; made += 1) keepSocketLine(line).catch(fail);
    });
  }

  /** Acknowledges what was received, within a second, and takes no more. */
  async stop(): Promise<void> {
    const { timers } = this.#needs;
    const all = Promise.all(this.#answers);
    await waitFor(all, 'stop', { deadlineMs: LAST_ANSWERS_MS, timers }).catch(() => {});
    this.#stopping.abort();
  }

  #count(change: 1 | -1): void {
    const { logger, onConnected } = this.#needs;
    this.#connected += change;
    onConnected(this.#connected);
    if (this.#connected === 1 && change === 1) logger.info({}, 'connected to Slack');
    if (this.#connected === 0 && !this.#stopping.signal.aborted) {
      logger.warn({}, 'not connected to Slack');
    }
  }

  async #answer(received: Received): Promise<void> {
    const { event, takesContent } = readEnvelope(received);
    const reply = await this.receive(event);
    // Without an answer, Slack shows the person that it failed.
    if (reply.status !== 200) return;
    try {
      await received.ack(takesContent ? contentOf(reply) : undefined);
    } catch {
      // Its connection is gone: Slack treats it as unanswered.
      this.#needs.logger.warn({}, 'an acknowledgement could not be sent');
    }
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
  readonly event: Omit<ReceiverEvent, 'ack'>;
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
