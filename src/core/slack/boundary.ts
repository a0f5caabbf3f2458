import type { ReceiverEvent } from '@slack/bolt';
import type { Logger } from 'pino';
import type { GiveWay } from '../lib/give-way.ts';
import type { Timers } from '../lib/timers.ts';
import { type Acknowledgement, createAcknowledgement, type SlackReply } from './acknowledgement.ts';
import { isAsDocumented, type Payload, type PayloadKind, readPayload } from './payload.ts';
import type { Replies } from './replies.ts';
import { describeError } from './slack-logger.ts';
import { plain } from './text.ts';

/** A request from Slack, for Bolt; the acknowledgement is added here. */
export type IncomingEvent = Omit<ReceiverEvent, 'ack'>;

interface BoundaryNeeds {
  /** Runs the listeners; rejects with what they throw. Without a listener only an event is acknowledged. */
  readonly process: (event: ReceiverEvent) => Promise<void>;
  readonly replies: Replies;
  /** What a person reads who used a switched-off command, button or form with this id. */
  readonly offSentence: (id: string) => string | undefined;
  readonly logger: Logger;
  /** Short and random: a person can read it aloud, and an administrator can search the log for it. */
  readonly newReference: () => string;
  readonly timers: Timers;
  readonly giveWay: Pick<GiveWay, 'begin'>;
}

interface Boundary {
  /** Runs one verified request. Resolves with the response to Slack as soon as there is one; never rejects. */
  deliver(event: IncomingEvent): Promise<SlackReply>;
  /** Requests whose listeners are running, acknowledged or not. */
  readonly inFlight: number;
  /** Waits until nothing runs. False: something was still running at the deadline. */
  drain(withinMs: number): Promise<boolean>;
}

/** Slack waits 3 s and shows anything later as failed. */
const ANSWER_MS = 2_800;

/**
 * The one place that catches what listeners throw: it logs with a reference, and tells the person. If the person could
 * not be told in time the request fails, so that Slack shows an error. It also answers requests that have no listener,
 * such as a button of an older version.
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
    // Every listener acknowledges, and Bolt acknowledges events itself: there was no listener.
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
  if (isKnown) logger.warn(facts, 'no listener for a request from Slack');
  else logger.warn(facts, 'unexpected payload from Slack');
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
  // Nobody expects an answer to these.
  if (OUTDATED[kind] === null) return;
  await tell(brokenSentence(error, reference), payload, acknowledgement, replies).catch(
    (untold) => {
      logger.warn(
        { reference, error: describeError(untold) },
        'could not show the error to the person',
      );
      acknowledgement.fail();
    },
  );
}

/** A select that loads its options expects a list, even an empty one. */
function nothingFor(payload: Payload): object | undefined {
  return payload.kind === 'options' ? { options: [] } : undefined;
}

/**
 * Shows a sentence to the person behind a request: in the acknowledgement if it is still open and can show it,
 * otherwise by the response URL, otherwise by direct message. Throws RemoteFailure when all of them fail.
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

/** An acknowledgement that shows the sentence; undefined where Slack cannot show one. */
function contentWith(text: string, payload: Payload): object | undefined {
  switch (payload.kind) {
    case 'command':
      return { response_type: 'ephemeral', text };
    case 'view':
      // An error at an input keeps what was typed; a form without inputs has nothing to keep.
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

/** What a person reads who used something that this version does not support. null: nothing. */
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

/** A read failed: nothing was changed, and it is safe to try again. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  readonly code = 'not_read';
  constructor(cause: unknown) {
    super('What somebody wanted to read could not be read', { cause });
  }
}

/** What a person reads after an unexpected error. */
export function brokenSentence(error: unknown, reference: string): string {
  if (error instanceof ReadError) {
    return `Gatepost could not read this, and nothing was changed. Try again in a minute. If it keeps happening, give an administrator this reference: ${reference}`;
  }
  return `Something went wrong, and it may or may not have taken effect. Check before you try again. If it keeps happening, give an administrator this reference: ${reference}`;
}
