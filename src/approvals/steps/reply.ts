import { callResult, type Failed } from '../../core/engine/call-result.ts';
import { type Due, firstReady } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { clip } from '../../core/lib/clip.ts';
import { isRefused } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import { type Approval, messagePost, type Reply } from '../approval.ts';
import { shownValue, withButtons } from '../cast-ballot.ts';
import { openIn } from '../failure.ts';
import { takeBackButtons } from '../message/message.ts';
import { titleOf } from '../message/overflow.ts';
import { named } from '../message/sentences.ts';
import type { ApprovalCore, StepRules } from './step-rules.ts';

/** Say a sentence to the person it is owed to. */
export interface SendReply {
  readonly kind: 'reply';
  readonly reply: string;
  readonly via: Reply['via'];
}

type Replied =
  /** The text, as it was delivered. */
  { readonly kind: 'done'; readonly text: string } | Failed;

export function dueReply({ replies }: Approval, now: number): Due<SendReply> {
  const next = firstReady(replies, now);
  if (next === null || typeof next === 'number') return next;
  return { kind: 'reply', reply: next.id, via: next.via };
}

export const reply: StepRules<SendReply, Replied> = {
  /**
   * Saved first: a process that dies, or that no longer holds the record, must not have told anybody of an outcome
   * that the next one may find different.
   */
  markAttempt: (approval) => ({ data: approval }),

  execute(core, record, approval, { reply: id }) {
    const owed = approval.replies.find((each) => each.id === id);
    if (owed === undefined) throw new Error('a sentence is delivered only while it is owed');
    return deliverReply(core, record, approval, owed);
  },

  /**
   * A way that Slack refused or that ended unclear is left for the next one: better twice than never.
   * The last one is tried until Slack takes or refuses it. A failure that comes late says nothing of the
   * way that is tried by now.
   */
  apply(approval, { reply: id, via }, result, { timing }, now) {
    const owed = approval.replies.find((each) => each.id === id);
    const isLate = result.kind === 'failed' && owed?.via !== via;
    if (owed === undefined || isLate) return { data: approval };
    const next = result.kind === 'failed' ? retried(owed, result, timing, now) : undefined;
    const replies = approval.replies.flatMap((each) =>
      each !== owed ? [each] : next ? [next] : [],
    );
    const data = { ...approval, replies };
    return result.kind === 'done' ? { data, audit: [toldEntry(owed, result.text)] } : { data };
  },
};

/** What a person read, to the letter: the store keeps at most so many characters of it. */
const KEPT_TEXT_MAX = 1_000;

function toldEntry({ user, about, via }: Reply, text: string): NewAuditEntry {
  const [kept] = clip(text, KEPT_TEXT_MAX);
  const facts = { user, about, via, text: kept };
  return { action: 'approvals.told', record: null, actor: 'gatepost', facts };
}

/** In the one way that is its turn, with the request's title and a link to its message. */
export function deliverReply(
  { replies, box, links }: ApprovalCore,
  id: string,
  approval: Approval,
  { via, about, text: sentence, user, channel, responseUrl }: Reply,
): Promise<Replied> {
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(approval.channel, ts);
  const text = named(sentence, titleOf(approval), link);
  // Who approved by mistake need not reject for everybody.
  const value = shownValue(id, approval);
  const buttons = about === 'progress' ? takeBackButtons(value, approval, user) : [];
  const content = withButtons(text, buttons);
  const deliver = async (): Promise<Replied> => {
    if (via === 'url' && responseUrl !== undefined) {
      const url = openIn(box, responseUrl, 'response-url');
      // In the place of the sentence whose button was pressed.
      await replies.respondUrl(url, { ...content, replace: about === 'taken-back' });
    } else if (via === 'direct') {
      await replies.direct({ user, ...content });
    } else {
      await replies.ephemeral({ channel, user, ...content });
    }
    return { kind: 'done', text };
  };
  return callResult(deliver());
}

/** What comes after a way that failed. */
const NEXT = { url: 'ephemeral', ephemeral: 'direct', direct: undefined } as const;

function retried(
  owed: Reply,
  { failure }: Failed,
  { retryMs }: Timing,
  now: number,
): Reply | undefined {
  const tries = owed.tries ?? 0;
  const via = NEXT[owed.via];
  if (via === undefined && isRefused(failure)) return undefined;
  const isWorthWaiting = failure.status === 429 || failure.class === 'not-sent';
  if (via !== undefined && !(isWorthWaiting && tries < retryMs.length)) {
    const { tries: _, notBefore: __, ...rest } = owed;
    return { ...rest, via };
  }
  const waitMs = failure.retryAfterMs ?? patientWaitMs(tries, retryMs[0], 60_000);
  return { ...owed, tries: tries + 1, notBefore: now + waitMs };
}
