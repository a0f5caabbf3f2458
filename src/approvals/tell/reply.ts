import { hash } from 'node:crypto';
import type { Button } from '@slack/types';
import { callResult, type Failed } from '../../core/engine/call-result.ts';
import { type Due, firstReady } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { clip } from '../../core/lib/clip.ts';
import { isRefused } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import { type Approval, messagePost, type Reply } from '../approval.ts';
import type { ApprovalCore, ApprovalStep } from '../decision/approval-core.ts';
import type { Statement } from '../decision/statement.ts';
import { titleOf } from '../digest.ts';
import type { RouteTerms } from '../electorate/terms.ts';
import { openIn } from '../failure.ts';
import { shownValue, withButtons } from './message/elsewhere.ts';
import { ballotButtons, isOpen, takeBackButtons } from './message/message.ts';
import { messageStateOf } from './message/message-state.ts';
import { replySentence } from './message/reply-sentence.ts';
import { named } from './message/sentences.ts';
import { messageTerms } from './message-terms.ts';

/** Gives the replies that are owed their words. The same sentence to a person is sent once, by the newest way. */
export function worded(approval: Approval, terms: RouteTerms): Approval {
  const { owed, ...rest } = approval;
  if (owed === undefined) return approval;
  let { replies } = rest;
  for (const { statement, direct, ...whom } of owed) {
    const { user, at } = whom;
    // as: `owe` adds no others
    const text = replySentence(statement as Statement, rest, terms);
    // A delivery may end when this reply is gone and another one is owed: the id tells them apart.
    const id = hash('sha256', JSON.stringify([user, at, text]), 'base64url').slice(0, 12);
    const others = replies.filter((each) => each.user !== user || each.text !== text);
    replies = [...others, { ...whom, id, text }];
  }
  return { ...rest, replies };
}

/** Send a reply to a person. */
export interface SendReply {
  readonly kind: 'reply';
  readonly reply: string;
  readonly via: Reply['via'];
}

type Replied =
  /** The text as delivered. */
  { readonly kind: 'done'; readonly text: string } | Failed;

export function dueReply({ replies }: Approval, now: number): Due<SendReply> {
  const next = firstReady(replies, now);
  if (next === null || typeof next === 'number') return next;
  return { kind: 'reply', reply: next.id, via: next.via };
}

export const reply: ApprovalStep<SendReply, Replied> = {
  /**
   * Saves the record first: a process that dies or has lost its lease must not announce an outcome that the next one
   * may read differently.
   */
  markAttempt: (approval) => ({ data: approval }),

  execute(core, record, approval, { reply: id }) {
    const owed = approval.replies.find((each) => each.id === id);
    if (owed === undefined) throw new Error('a sentence is delivered only while it is owed');
    return deliverReply(core, record, approval, owed);
  },

  /**
   * After a refusal or an unclear result the next way is tried: better twice than never. The last way is retried until
   * Slack accepts or refuses it. A late failure does not affect the way being tried now.
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

/** The audit log stores the text that a person read, up to this length. */
const KEPT_TEXT_MAX = 1_000;

function toldEntry({ user, about, via }: Reply, text: string): NewAuditEntry {
  const [kept] = clip(text, KEPT_TEXT_MAX);
  const facts = { user, about, via, text: kept };
  return { action: 'approvals.told', record: null, actor: 'gatepost', facts };
}

/** By the current way, with the request's title and a link to its message. */
export function deliverReply(
  core: ApprovalCore,
  id: string,
  approval: Approval,
  { via, about, text: sentence, user, channel, responseUrl }: Reply,
): Promise<Replied> {
  const { replies, box, links } = core;
  const { ts } = messagePost(approval);
  const link = ts === undefined ? undefined : links.message(approval.channel, ts);
  const text = named(sentence, titleOf(approval), link);
  // Somebody who approved by mistake can take it back.
  const value = shownValue(id, approval);
  const buttons =
    about === 'reopened'
      ? presentButtons(core, value, approval, user)
      : about === 'progress'
        ? takeBackButtons(value, approval, user)
        : [];
  const content = withButtons(text, buttons);
  const deliver = async (): Promise<Replied> => {
    if (via === 'url' && responseUrl !== undefined) {
      const url = openIn(box, responseUrl, 'response-url');
      // Replaces the sentence whose button was pressed.
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

/** Those that the message has now, for this person. */
function presentButtons(
  core: ApprovalCore,
  value: string,
  approval: Approval,
  user: string,
): readonly Button[] {
  const terms = { ...messageTerms(core, approval), timing: core.timing };
  const state = messageStateOf(approval, terms, core.store.now());
  return isOpen(state) ? ballotButtons(value, approval, state, terms, user) : [];
}

/** The next way after a failure. */
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
