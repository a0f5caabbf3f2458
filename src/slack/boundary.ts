import type { ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import { type Acknowledgement, createAcknowledgement, type SlackReply } from './acknowledgement.ts';
import { describeError } from './describe-error.ts';
import { type Payload, readPayload } from './payload.ts';
import { brokenSentence, OUTDATED } from './sentences.ts';
import { tell } from './tell.ts';
import type { Words } from './words.ts';

export interface BoundaryNeeds {
  /** Runs the listeners; rejects with what they throw. */
  readonly process: (event: ReceiverEvent) => Promise<void>;
  /** Whether a listener waits for it. */
  readonly isKnown: (payload: Payload) => boolean;
  readonly words: Pick<Words, 'respondUrl' | 'direct'>;
  readonly logger: Pick<Logger, 'warn' | 'error'>;
  /** Short and random: a person reads it aloud, an administrator finds it in the log. */
  readonly newReference: () => string;
}

export interface Boundary {
  /** Runs one verified request. Resolves as soon as there is an answer for Slack, and never rejects. */
  deliver(event: Omit<ReceiverEvent, 'ack'>): Promise<SlackReply>;
  /** Requests whose listeners run, acknowledged or not. */
  readonly inFlight: number;
  /** Waits until nothing runs. False: something still ran when the time was over. */
  drain(withinMs: number): Promise<boolean>;
}

/** Slack waits 3 s; what is later than that it shows as failed, whatever we answer. */
const ANSWER_MS = 2_800;

/**
 * The one place that catches what listeners throw: it logs with a reference, and tells the person.
 * A request whose person could not be told in time fails, so that Slack shows that it did not work.
 * It also answers what nobody listens to, and what a listener forgot to acknowledge.
 */
export function createBoundary(needs: BoundaryNeeds): Boundary {
  const running = new Set<Promise<void>>();
  return {
    get inFlight() {
      return running.size;
    },
    deliver: (event) =>
      new Promise((resolve) => {
        const acknowledgement = createAcknowledgement((reply) => {
          clearTimeout(late);
          resolve(reply);
        });
        const late = setTimeout(() => acknowledgement.fail(), ANSWER_MS);
        const run = contain(needs, event, acknowledgement).finally(() => running.delete(run));
        running.add(run);
      }),
    async drain(withinMs) {
      let isOver = false;
      let timer: NodeJS.Timeout | undefined;
      const over = new Promise<void>((resolve) => {
        timer = setTimeout(() => {
          isOver = true;
          resolve();
        }, withinMs);
      });
      while (running.size > 0 && !isOver) await Promise.race([Promise.all(running), over]);
      clearTimeout(timer);
      return running.size === 0;
    },
  };
}

async function contain(
  needs: BoundaryNeeds,
  event: Omit<ReceiverEvent, 'ack'>,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const payload = readPayload(event.body);
  try {
    if (needs.isKnown(payload)) await listen(needs, event, payload, acknowledgement);
    else await refuse(needs, payload, acknowledgement);
  } catch (error) {
    await report(needs, error, payload, acknowledgement);
  } finally {
    acknowledgement.give(nothingFor(payload));
  }
}

async function listen(
  { process, logger }: BoundaryNeeds,
  event: Omit<ReceiverEvent, 'ack'>,
  { kind, id }: Payload,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const ack = async (content?: unknown) => {
    if (acknowledgement.give(content)) return;
    const message = acknowledgement.hasFailed ? 'Acknowledged too late' : 'Acknowledged twice';
    logger.warn({ kind, id }, message);
  };
  await process({ ...event, ack });
  if (!acknowledgement.isGiven) logger.warn({ kind, id }, 'A listener did not acknowledge');
}

async function refuse(
  { logger, words }: BoundaryNeeds,
  payload: Payload,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const { kind, id } = payload;
  logger.warn({ kind, id: id.slice(0, 255) }, 'Nobody listens to this');
  const sentence = OUTDATED[kind];
  if (sentence !== null) await tell(sentence, payload, acknowledgement, words);
}

async function report(
  { logger, words, newReference }: BoundaryNeeds,
  error: unknown,
  payload: Payload,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const reference = newReference();
  const { kind, id, user } = payload;
  logger.error({ reference, kind, id, user, error: describeError(error) }, 'A listener failed');
  // Nobody waits for a word about these.
  if (OUTDATED[kind] === null) return;
  await tell(brokenSentence(error, reference), payload, acknowledgement, words).catch((untold) => {
    logger.warn({ reference, error: describeError(untold) }, 'The person could not be told');
    acknowledgement.fail();
  });
}

/** A select that asks for its options wants a list even when there is none. */
function nothingFor(payload: Payload): object | undefined {
  return payload.kind === 'options' ? { options: [] } : undefined;
}
