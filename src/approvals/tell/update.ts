import { isOf } from '../../core/engine/attempt.ts';
import { callResult } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import { patientWaitMs } from '../../core/engine/patience.ts';
import { type FailureFacts, isRefused, isUnclear, RemoteFailure } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Post } from '../../core/posts/post.ts';
import { NEEDS_NEW_MESSAGE, repost, TELL_FOR_MS } from '../../core/posts/post-transitions.ts';
import type { PostMetadata } from '../../core/slack/outbox.ts';
import { blockedEntry, slackAlert } from '../alert.ts';
import { type Approval, isOwnGate, messagePost, withPost } from '../approval.ts';
import type { ApprovalCore, ApprovalStep } from '../decision/approval-core.ts';
import { changesAt } from '../decision/feature-hooks.ts';
import { lateUntil, markUpdate, renderedAgain, type Updated } from '../decision/redraw.ts';
import { mustRecall } from '../decision/store-rewind.ts';
import { owe } from '../decision/transitions.ts';
import type { Terms } from '../electorate/terms.ts';
import { featurePost, notes } from './message/feature-words.ts';
import { approvalMessage } from './message/message.ts';
import {
  foldsAt,
  type MessageState,
  messageStateOf,
  pressShownFrom,
  stateKey,
  withShown,
} from './message/message-state.ts';
import { isOverflow, saysMore } from './message/overflow.ts';
import { isOutcomeReply, metadataFor } from './message/post-content.ts';
import { messageTerms } from './message-terms.ts';

/** Update the message to show `state`. */
export interface Update {
  readonly kind: 'update';
  readonly state: MessageState;
  readonly plannedAt: number;
}

export function dueUpdate(approval: Approval, terms: Terms, now: number): Due<Update> {
  const { update } = approval;
  if (messagePost(approval).ts === undefined || mustRecall(approval, terms)) return null;
  const shownFrom = pressShownFrom(approval);
  if (shownFrom !== undefined && now < shownFrom) return shownFrom;
  const state = messageStateOf(approval, terms, now);
  const again = update?.againAt !== undefined && now >= update.againAt;
  const key = stateKey(state);
  if (approval.shown === key && !again) return update?.againAt ?? null;
  if (update?.gaveUpOn === key && update.resumed === undefined) {
    const { gaveUpAt = 0 } = update;
    return now < gaveUpAt + TELL_FOR_MS ? gaveUpAt + TELL_FOR_MS : null;
  }
  if (update?.notBefore !== undefined && now < update.notBefore) return update.notBefore;
  return { kind: 'update', state, plannedAt: now };
}

/** When the message folds: schedules the record, and `dueUpdate` makes the change. Nobody is waiting. */
export function dueFold(approval: Approval, terms: Terms, now: number): Due<never> {
  return aheadOf(foldsAt(approval, terms), approval, now);
}

/** The same for what features show. */
export function dueOverdue(approval: Approval, now: number): Due<never> {
  return aheadOf(changesAt(approval), approval, now);
}

function aheadOf(at: number | undefined, approval: Approval, now: number): Due<never> {
  const isAhead = at !== undefined && at > now && messagePost(approval).ts !== undefined;
  return isAhead ? at : null;
}

export const update: ApprovalStep<Update, Updated> = {
  markAttempt: (approval, step, timing, now) => ({
    data: markUpdate(approval, step, timing, now),
    // If an own gate's outcome was shown and then lost, nobody else could tell it.
    durable: isOwnGate(approval) && approval.outcome !== undefined,
  }),

  execute: (core, id, approval, { state }) => showState(core, id, approval, state),

  apply(approval, step, result, terms, now) {
    const data = applyUpdated(approval, step, result, terms, now);
    const code = lostNow(approval, data);
    return code === undefined ? { data } : { data, audit: [blockedEntry(data, code)] };
  },

  alerts(before, step, result, after) {
    if (isFold(before, step)) return [];
    if (lostNow(before, after) !== undefined)
      return [{ cause: 'message-deleted', subject: before.channel }];
    const alert = result.kind === 'failed' && slackAlert(result.failure, before.channel);
    return alert ? [alert] : [];
  },
};

/** Updates the message to say that the decision is being sent, if it is posted. */
export async function showSending(
  core: ApprovalCore,
  id: string,
  approval: Approval,
): Promise<Updated> {
  const { decision } = approval;
  if (decision === undefined || messagePost(approval).ts === undefined) return { kind: 'done' };
  const { action, by } = decision;
  return showState(core, id, approval, { name: 'sending', action, by });
}

/** Updates the message to a state. */
export async function showState(
  core: ApprovalCore,
  id: string,
  approval: Approval,
  state: MessageState,
): Promise<Updated> {
  const { ts } = messagePost(approval);
  if (ts === undefined) throw new Error('a message is posted before it is changed');
  const message = approvalMessage(id, approval, state, messageTerms(core, approval));
  const place = { channel: approval.channel, ts };
  const show = async () => {
    // Both calls end by the time that was noted.
    const signal = mayHideClaim(core, approval, state)
      ? core.timers.deadline(core.timing.stepMs)
      : undefined;
    const claim = signal === undefined ? {} : await claimBefore(core, place, id, state, signal);
    const metadata = { ...claim, ...metadataFor(id, approval, 'message', state) };
    // Without this the message keeps its metadata.
    const named = state.name === 'decided' && { metadata };
    await core.outbox.update({ ...place, ...message, ...named }, signal && { signal });
    return { kind: 'done' } as const;
  };
  return callResult(show());
}

/** The store may have lost what was reported of the approved work since its outcome was saved. */
function mayHideClaim(
  { store }: ApprovalCore,
  { outcome }: Approval,
  state: MessageState,
): boolean {
  const isOld = outcome !== undefined && outcome.learnedAt < store.servingSince();
  return isOld && state.name === 'decided' && !notes('isMore').some((each) => each(state));
}

/** The claim that is noted in a message which states this outcome: it stays. */
async function claimBefore(
  { outbox }: ApprovalCore,
  at: { readonly channel: string; readonly ts: string },
  id: string,
  state: MessageState,
  signal: AbortSignal,
): Promise<Pick<PostMetadata, 'claim'>> {
  try {
    const { metadata } = (await outbox.readMessage(at, { signal })) ?? {};
    const isOfIt =
      state.name === 'decided' && metadata?.record === id && metadata.status === state.status;
    return isOfIt && metadata.claim !== undefined ? { claim: metadata.claim } : {};
  } catch (error) {
    // The message of a channel that Gatepost cannot read says nothing.
    if (error instanceof RemoteFailure && isRefused(error.facts)) return {};
    throw error;
  }
}

function applyUpdated(
  approval: Approval,
  step: Update,
  result: Updated,
  terms: Terms,
  now: number,
): Approval {
  const { timing } = terms;
  // A late result: its update, and even its message, may have replaced what other workers have shown.
  if (!isOf(step, approval.update?.attempt)) {
    return mayStateWhatIsLost(approval, step, result)
      ? recalledFirst(approval, result, timing, now)
      : renderedAgain(approval, timing, now);
  }
  const { attempt, tries, notBefore, ...kept } = approval.update ?? {};
  if (result.kind === 'done') return shownNow(approval, step.state, terms, now);
  const { failure } = result;
  if (isFold(approval, step) && isRefused(failure)) return unfolded(approval, terms, now);
  if (NEEDS_NEW_MESSAGE.has(failure.code)) {
    const { gaveUpOn, gaveUpAt, resumed, ...update } = kept;
    return postAgain({ ...approval, update }, failure);
  }
  const failed = (tries ?? 0) + 1;
  if (failure.status === 429) {
    const waitMs = failure.retryAfterMs ?? timing.defaultRetryAfterMs;
    return { ...approval, update: { ...kept, notBefore: now + waitMs } };
  }
  if (isRefused(failure) && failed >= REFUSED_UPDATES_MAX) {
    const { resumed, ...given } = kept;
    const gaveUpOn = stateKey(step.state);
    if (given.gaveUpOn === gaveUpOn) return { ...approval, update: given };
    return gaveUp({ ...approval, update: { ...given, gaveUpOn, gaveUpAt: now } }, step, now);
  }
  const again = failure.class === 'ambiguous' ? { againAt: now + timing.renderAgainMs } : {};
  const waitMs = patientWaitMs(failed - 1, timing.retryMs[0], 60_000);
  // Unclear failures alone do not use up the tries: a long outage of Slack must not make the first refusal after it the
  // last.
  const counted = failure.class === 'refused' ? failed : Math.min(failed, REFUSED_UPDATES_MAX / 2);
  return { ...approval, update: { ...kept, ...again, tries: counted, notBefore: now + waitMs } };
}

function shownNow(
  { update, ...approval }: Approval,
  state: MessageState,
  terms: Terms,
  now: number,
): Approval {
  const lateAt = lateUntil(approval, terms);
  const againAt = update?.againAt ?? (now < lateAt ? lateAt : undefined);
  // An earlier update may still arrive and undo this one.
  if (againAt !== undefined) return { ...approval, shown: stateKey(state), update: { againAt } };
  return withShown(approval, state);
}

/** An own gate whose outcome the store lost: the message may have been read before it stated it. */
function mayStateWhatIsLost(approval: Approval, { state }: Update, result: Updated): boolean {
  const { outcome, withdrawnAt } = approval;
  const isLost = isOwnGate(approval) && outcome === undefined && withdrawnAt === undefined;
  const mayStand = result.kind === 'done' || isUnclear(result.failure);
  return isLost && mayStand && state.name === 'decided';
}

/** It is read again, once the update has certainly ended. */
function recalledFirst(
  { shown, ...approval }: Approval,
  result: Updated,
  { quietMs }: Timing,
  now: number,
): Approval {
  const read = { ...approval, unrecalled: true } as const;
  if (result.kind === 'done') return read;
  return { ...read, update: { ...approval.update, notBefore: now + quietMs } };
}

/** The message already states its outcome and would only get shorter; a new review or result is more than that. */
function isFold(approval: Approval, { state }: Update): boolean {
  const isFolded = state.name === 'decided' && state.folded === true;
  const isMore = isFolded && notes('isMore').some((each) => each(state));
  if (isFolded && (isMore || state.self?.reviewed !== undefined)) return false;
  return isFolded && approval.stated === 'folds' && saysMore(approval);
}

/** It is left as it is: the shorter form is not needed. */
function unfolded(approval: Approval, terms: Terms, now: number): Approval {
  const stays: Approval = { ...approval, stated: 'stays' };
  return shownNow(stays, messageStateOf(stays, terms, now), terms, now);
}

/**
 * Nobody sees the outcome in the message, so those who decided are told directly. The approval can be resumed while it
 * is kept (`lists.ts`).
 */
function gaveUp(approval: Approval, { state }: Update, now: number): Approval {
  const { outcome, channel } = approval;
  if (state.name !== 'decided' || outcome === undefined) return approval;
  if (approval.stated !== undefined) return approval;
  const statement = { code: 'unshown', outcome, channel } as const;
  return outcome.by.reduce(
    (owing, user) => owe(owing, { user, channel, at: now }, 'unshown', statement, 'direct'),
    approval,
  );
}

/** Several minutes, in which the bot may be invited again. */
const REFUSED_UPDATES_MAX = 12;

/**
 * A deleted message is posted again once while the gate is open, and once more to state the outcome: more often would
 * annoy the person who deletes it. A message that exists but cannot be edited is replaced for each new state. Nothing was
 * recalled from the next one yet: the store may have lost that it was posted before.
 */
function postAgain({ stated, recalled, ...approval }: Approval, failure: FailureFacts): Approval {
  const { gone = [], replaced = 0 } = messagePost(approval);
  const isDeleted = failure.code === 'message_not_found';
  const next = repost(messagePost(approval));
  const isEnough = isDeleted
    ? gone.length - replaced >= (approval.outcome === undefined ? 1 : 2)
    : replaced >= UNCHANGEABLE_MAX;
  if (isEnough) return withPost(approval, { ...next, failed: failure.code });
  // The overflow replies of the old message are not below the new one; refused outcome replies are tried again below
  // it.
  const isRefusedReply = ({ name, failed }: Post) =>
    (isOutcomeReply(name) || featurePost(name) !== undefined) && failed !== undefined;
  const posts = approval.posts.filter((each) => !isOverflow(each.name) && !isRefusedReply(each));
  return withPost({ ...approval, posts }, isDeleted ? next : { ...next, replaced: replaced + 1 });
}

/** An upper bound on replacements. */
const UNCHANGEABLE_MAX = 10;

/** Slack's code when the message is given up after being posted again. */
function lostNow(before: Approval, after: Approval): string | undefined {
  return messagePost(before).failed === undefined ? messagePost(after).failed : undefined;
}
