import type { Logger } from 'pino';
import type { GiveWay } from '../lib/give-way.ts';
import type { Timers } from '../lib/timers.ts';
import { isSaid } from './answer-person.ts';
import type { Incoming } from './incoming.ts';
import type { Payload, PayloadKind } from './payload.ts';
import type { Replies } from './replies.ts';
import { describeError } from './slack-logger.ts';
import { plain } from './text.ts';

interface BoundaryNeeds {
  readonly replies: Replies;
  /** What a person reads who used a switched-off command, button or form with this id. */
  readonly offSentence: (id: string) => string | undefined;
  readonly logger: Logger;
  /** Short and random: a person can read it aloud, and an administrator can search the log for it. */
  readonly newReference: () => string;
  readonly timers: Timers;
  readonly giveWay: Pick<GiveWay, 'begin'>;
}

export interface Boundary {
  /** Runs the listener of a request, or finds that it has none. Never rejects. */
  around(incoming: Incoming, listen: () => Promise<void>): Promise<void>;
  /** Answers a request that Bolt cannot handle. Never rejects. */
  refuseUnexpected(incoming: Incoming): Promise<void>;
  /** Requests whose listeners are running, acknowledged or not. */
  readonly inFlight: number;
  /** Waits until nothing runs. False: something was still running at the deadline. */
  drain(withinMs: number): Promise<boolean>;
}

/**
 * What is done around all listeners. The one place that catches what they throw: it logs with a reference, and tells
 * the person. If the person could not be told in time the request fails, so that Slack shows an error. It also answers
 * requests that have no listener, such as a button of an older version.
 */
export function createBoundary(needs: BoundaryNeeds): Boundary {
  const { timers, giveWay } = needs;
  const running = new Set<Promise<void>>();
  const contain = (incoming: Incoming, work: () => Promise<void>): Promise<void> => {
    const run = work()
      .catch((error: unknown) => report(needs, error, incoming))
      .finally(() => running.delete(run));
    running.add(run);
    return run;
  };
  return {
    around: (incoming, listen) =>
      contain(incoming, async () => {
        void incoming.answered.then(giveWay.begin());
        await listen();
        // Every listener acknowledges, and Bolt acknowledges events itself: there was no listener.
        if (!incoming.isAnswered) await refuse(needs, incoming);
      }),
    refuseUnexpected: (incoming) =>
      contain(incoming, () => refuse(needs, incoming, { isUnexpected: true })),
    get inFlight() {
      return running.size;
    },
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

/** Logged unless it belongs to a feature that is switched off. */
async function refuse(
  { logger, replies, offSentence }: BoundaryNeeds,
  incoming: Incoming,
  { isUnexpected = false } = {},
): Promise<void> {
  const { kind, id } = incoming.payload;
  const sentence = OUTDATED[kind];
  const off = sentence === null ? undefined : offSentence(id);
  const facts = { kind, id: id.slice(0, 255) };
  if (off === undefined && isUnexpected) logger.warn(facts, 'unexpected payload from Slack');
  else if (off === undefined) logger.warn(facts, 'no listener for a request from Slack');
  if (sentence !== null) await tell(off ?? sentence, incoming, replies);
}

async function report(
  { logger, replies, newReference }: BoundaryNeeds,
  error: unknown,
  incoming: Incoming,
): Promise<void> {
  const reference = newReference();
  const { kind, id, user } = incoming.payload;
  logger.error({ reference, kind, id, user, error: describeError(error) }, 'A listener failed');
  // Nobody expects an answer to these.
  if (OUTDATED[kind] === null) return;
  await tell(brokenSentence(error, reference), incoming, replies).catch((untold) => {
    logger.warn(
      { reference, error: describeError(untold) },
      'could not show the error to the person',
    );
    incoming.fail();
  });
}

/**
 * Shows a sentence to the person behind a request: in the acknowledgement if it is still open and can show it,
 * otherwise by the response URL, otherwise by direct message. Throws RemoteFailure when all of them fail.
 */
async function tell(text: string, incoming: Incoming, replies: Replies): Promise<void> {
  const { payload } = incoming;
  const content = contentWith(text, payload);
  if (content !== undefined && incoming.acknowledge(content)) return;
  const { user, responseUrl } = payload;
  if (responseUrl !== null && (await isSaid(replies.respondUrl(responseUrl, { text })))) return;
  if (user !== null) await replies.direct({ user, text });
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
