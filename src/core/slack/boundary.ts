import type { ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import type { GiveWay } from '../lib/give-way.ts';
import type { Timers } from '../lib/timers.ts';
import { type Acknowledgement, createAcknowledgement, type SlackReply } from './acknowledgement.ts';
import { isAsDocumented, type Payload, type PayloadKind, readPayload } from './payload.ts';
import type { Replies } from './replies.ts';
import { describeError } from './slack-logger.ts';
import { plain } from './text.ts';

/** What came from Slack, for Bolt; its acknowledgement is ours. */
export type IncomingEvent = Omit<ReceiverEvent, 'ack'>;

interface BoundaryNeeds {
  /**
   * Runs the listeners; rejects with what they throw. What none takes is not acknowledged, unless it is
   * an event.
   */
  readonly process: (event: ReceiverEvent) => Promise<void>;
  readonly replies: Replies;
  /** What a person reads who used a command, button or form of this id, where that is switched off. */
  readonly offSentence: (id: string) => string | undefined;
  readonly logger: Logger;
  /** Short and random: a person reads it aloud, an administrator finds it in the log. */
  readonly newReference: () => string;
  readonly timers: Timers;
  readonly giveWay: Pick<GiveWay, 'begin'>;
}

interface Boundary {
  /** Runs one verified request. Resolves as soon as there is an answer for Slack, and never rejects. */
  deliver(event: IncomingEvent): Promise<SlackReply>;
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
 * It also answers what nobody listens to, such as a button of an older version.
 */
export function createBoundary(needs: BoundaryNeeds): Boundary {
  const { timers, giveWay } = needs;
  const running = new Set<Promise<void>>();
  return {
    get inFlight() {
      return running.size;
    },
    deliver: (event) =>
      new Promise((resolve) => {
        const end = giveWay.begin();
        const acknowledgement = createAcknowledgement((reply) => {
          end();
          cancel();
          resolve(reply);
        });
        const cancel = timers.after(ANSWER_MS, () => acknowledgement.fail());
        const run = contain(needs, event, acknowledgement).finally(() => running.delete(run));
        running.add(run);
      }),
    async drain(withinMs) {
      let isOver = false;
      let cancel = () => {};
      const over = new Promise<void>((resolve) => {
        cancel = timers.after(withinMs, () => {
          isOver = true;
          resolve();
        });
      });
      while (running.size > 0 && !isOver) await Promise.race([Promise.all(running), over]);
      cancel();
      return running.size === 0;
    },
  };
}

async function contain(
  needs: BoundaryNeeds,
  event: IncomingEvent,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const payload = readPayload(event.body);
  try {
    const isKnown = isAsDocumented(event.body, payload.kind);
    if (isKnown) await listen(needs, event, payload, acknowledgement);
    // Every listener acknowledges, and Bolt acknowledges events by itself: nobody listens to this.
    if (!acknowledgement.isGiven) await refuse(needs, payload, acknowledgement, isKnown);
  } catch (error) {
    await report(needs, error, payload, acknowledgement);
  } finally {
    acknowledgement.give(nothingFor(payload));
  }
}

async function listen(
  { process, logger }: BoundaryNeeds,
  event: IncomingEvent,
  { kind, id }: Payload,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const ack = async (content?: unknown) => {
    if (acknowledgement.give(content)) return;
    logger.warn(
      { kind, id },
      acknowledgement.hasFailed ? 'Acknowledged too late' : 'Acknowledged twice',
    );
  };
  await process({ ...event, ack });
}

async function refuse(
  { logger, replies, offSentence }: BoundaryNeeds,
  payload: Payload,
  acknowledgement: Acknowledgement,
  isKnown: boolean,
): Promise<void> {
  const { kind, id } = payload;
  const off = OUTDATED[kind] === null ? undefined : offSentence(id);
  if (off !== undefined) return tell(off, payload, acknowledgement, replies);
  const facts = { kind, id: id.slice(0, 255) };
  if (isKnown) logger.warn(facts, 'Nobody acknowledged this');
  else logger.warn(facts, 'Slack sent this in a form that is not known');
  const sentence = OUTDATED[kind];
  if (sentence !== null) await tell(sentence, payload, acknowledgement, replies);
}

async function report(
  { logger, replies, newReference }: BoundaryNeeds,
  error: unknown,
  payload: Payload,
  acknowledgement: Acknowledgement,
): Promise<void> {
  const reference = newReference();
  const { kind, id, user } = payload;
  logger.error({ reference, kind, id, user, error: describeError(error) }, 'A listener failed');
  // Nobody waits for a word about these.
  if (OUTDATED[kind] === null) return;
  await tell(brokenSentence(error, reference), payload, acknowledgement, replies).catch(
    (untold) => {
      logger.warn({ reference, error: describeError(untold) }, 'The person could not be told');
      acknowledgement.fail();
    },
  );
}

/** A select that asks for its options wants a list even when there is none. */
function nothingFor(payload: Payload): object | undefined {
  return payload.kind === 'options' ? { options: [] } : undefined;
}

/**
 * Says a sentence to the person behind a request: in the acknowledgement, where one is still to give
 * and shows it, otherwise by the response URL, otherwise by a direct message.
 * Throws RemoteFailure when it could not be said.
 */
async function tell(
  text: string,
  payload: Payload,
  acknowledgement: Acknowledgement,
  replies: Replies,
): Promise<void> {
  const content = contentWith(text, payload);
  if (content !== undefined && acknowledgement.give(content)) return;
  if (payload.responseUrl !== null) {
    const isSaid = await replies.respondUrl(payload.responseUrl, { text }).then(
      () => true,
      () => false,
    );
    if (isSaid) return;
  }
  if (payload.user !== null) await replies.direct({ user: payload.user, text });
}

/** An acknowledgement that shows the sentence; undefined where Slack shows none. */
function contentWith(text: string, payload: Payload): object | undefined {
  switch (payload.kind) {
    case 'command':
      return { response_type: 'ephemeral', text };
    case 'view':
      // At an input what was typed stays; a form without inputs has nothing to keep.
      return payload.inputBlock !== null
        ? { response_action: 'errors', errors: { [payload.inputBlock]: text } }
        : { response_action: 'update', view: notice(text) };
    default:
      return undefined;
  }
}

function notice(text: string): object {
  return {
    type: 'modal',
    callback_id: 'slack.notice',
    title: plain('Gatepost'),
    close: plain('Close'),
    blocks: [{ type: 'section', text: plain(text) }],
  };
}

/** What a person reads who used something that no code of this version listens to. null: nothing. */
export const OUTDATED = {
  action: 'That button no longer works. Use a newer message.',
  command: 'That command is not available here.',
  event: null,
  options: null,
  other: 'That button no longer works. Use a newer message.',
  shortcut: 'That shortcut is no longer available.',
  view: 'That form no longer works. Close it and open it again.',
  view_closed: null,
} as const satisfies Record<PayloadKind, string | null>;

/** Only reading failed: nothing was changed, and whoever wanted to read may just try again. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  readonly code = 'not_read';
  constructor(cause: unknown) {
    super('What somebody wanted to read could not be read', { cause });
  }
}

/** What a person reads when something broke that should not. */
export function brokenSentence(error: unknown, reference: string): string {
  if (error instanceof ReadError) {
    return `Gatepost could not read this, and nothing was changed. Try again in a minute. If it keeps happening, give an administrator this reference: ${reference}`;
  }
  return `Something went wrong, and it may or may not have taken effect. Check before you try again. If it keeps happening, give an administrator this reference: ${reference}`;
}
