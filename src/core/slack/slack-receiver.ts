import type { App, Receiver, ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import type { MonotonicClock } from '../lib/clock.ts';
import type { Timers } from '../lib/timers.ts';
import type { Boundary } from './boundary.ts';
import { Incoming, type SlackReply } from './incoming.ts';
import { isAsDocumented } from './payload.ts';
import { describeError } from './slack-logger.ts';

export interface ReceiverNeeds {
  readonly boundary: Pick<Boundary, 'refuseUnexpected'>;
  readonly logger: Logger;
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  /** Called for each request that Bolt gets, with the time until its response. */
  readonly onAnswered: (tookMs: number) => void;
}

/** Slack waits 3 s and shows anything later as failed. */
const ANSWER_MS = 2_800;

/** How requests come from Slack to Bolt, by HTTP or Socket Mode. */
export abstract class SlackReceiver implements Receiver {
  /** False: none can arrive now. */
  abstract readonly isConnected: boolean;
  /** Resolves with the reason when none will arrive any more; otherwise never. */
  abstract readonly failed: Promise<unknown>;
  readonly #needs: ReceiverNeeds;
  #app: Pick<App, 'processEvent'> | undefined;

  constructor(needs: ReceiverNeeds) {
    this.#needs = needs;
  }

  init(app: Pick<App, 'processEvent'>): void {
    this.#app = app;
  }

  abstract start(): Promise<void>;
  abstract stop(): Promise<void>;

  /** Has Bolt handle a request of Slack's. Resolves with the response as soon as there is one; never rejects. */
  protected async receive(event: Omit<ReceiverEvent, 'ack'>): Promise<SlackReply> {
    const { clock, timers, onAnswered } = this.#needs;
    const startedAt = clock.monotonic();
    const incoming = new Incoming(event.body);
    const cancel = timers.after(ANSWER_MS, () => incoming.fail());
    void this.#handle(event, incoming);
    const reply = await incoming.answered;
    cancel();
    onAnswered(clock.monotonic() - startedAt);
    return reply;
  }

  async #handle(event: Omit<ReceiverEvent, 'ack'>, incoming: Incoming): Promise<void> {
    const { boundary, logger } = this.#needs;
    const { kind, id } = incoming.payload;
    try {
      // Bolt and the listeners read members without checking.
      if (isAsDocumented(event.body, kind)) await this.#process(event, incoming);
      else await boundary.refuseUnexpected(incoming);
      // A select that loads its options expects a list, even an empty one.
      incoming.acknowledge(kind === 'options' ? { options: [] } : undefined);
    } catch (error) {
      // Not from a listener: the boundary is inside Bolt.
      logger.error({ kind, id, error: describeError(error) }, 'Bolt could not handle a request');
      incoming.fail();
    }
  }

  async #process(event: Omit<ReceiverEvent, 'ack'>, incoming: Incoming): Promise<void> {
    const { kind, id } = incoming.payload;
    const ack = async (content?: unknown) => {
      if (incoming.acknowledge(content)) return;
      const { logger } = this.#needs;
      if (incoming.hasFailed) logger.warn({ kind, id }, 'Acknowledged too late');
      else logger.warn({ kind, id }, 'Acknowledged twice');
    };
    const customProperties = { ...event.customProperties, ...incoming.customProperties };
    await this.#app?.processEvent({ ...event, ack, customProperties });
  }
}
