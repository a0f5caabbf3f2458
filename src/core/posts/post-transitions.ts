import { attemptAt, type Planned } from '../engine/attempt.ts';
import { patientWaitMs } from '../engine/patience.ts';
import type { FailureFacts } from '../lib/failure.ts';
import type { Timing } from '../lib/timing.ts';
import { isOpen, type Post, SEEKS_MAX } from './post.ts';

/** How a post goes on after each of its steps: pure, whatever record it belongs to. */

/** It got its slot in the channel. */
export function slotTaken(post: Post, waitMs: number, now: number): Post {
  return { ...post, slot: true, notBefore: now + waitMs };
}

/** Others go first: it tries again then. */
export function slotRefused(post: Post, waitMs: number, now: number): Post {
  return { ...post, notBefore: now + waitMs };
}

/** It waits in the line of the channel, where it has its turn then; one whose turn came before keeps that. */
export function turnGiven(post: Post, waitMs: number, now: number): Post {
  return { turnAt: now + waitMs, ...post, notBefore: now + waitMs };
}

/** It is about to be posted. */
export function postBegun(post: Post, step: Planned, timing: Timing, now: number): Post {
  const { notBefore, slot, turnAt, ...rest } = post;
  return { ...rest, attempt: attemptAt(step, timing, now) };
}

/** The message is gone, or Slack will never change it: what has to be read is posted anew. */
export const NEEDS_NEW_MESSAGE: ReadonlySet<string> = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
]);

/** It is posted once more, in the place of a message that is gone or cannot be changed. */
export function postedAnew({ ts, gone = [], ...post }: Post): Post {
  return { ...post, ...(ts !== undefined && { gone: [...gone, ts] }) };
}

/** It stands in Slack. */
export function postKnown(post: Post, ts: string): Post {
  const { attempt, tries, notBefore, refused, failed, seeks, since, ...rest } = post;
  return { ...rest, ts };
}

/**
 * Slack did not take it, or nobody knows. One that is needed is tried for ever, because an invitation
 * or a scope may mend it; any other is given up when Slack refuses it.
 */
export function postFailed(
  post: Post,
  failure: FailureFacts,
  { isNeeded }: { readonly isNeeded: boolean },
  timing: Timing,
  now: number,
): Post {
  // It may be there: it is looked for before anything is repeated.
  if (isUnclear(failure)) return post;
  const { attempt, ...closed } = post;
  const tries = (post.tries ?? 0) + 1;
  if (failure.status === 429) {
    return { ...closed, notBefore: now + (failure.retryAfterMs ?? timing.defaultRetryAfterMs) };
  }
  if (failure.class === 'not-sent') {
    return {
      ...closed,
      tries,
      notBefore: now + patientWaitMs(tries - 1, timing.retryMs[0], 60_000),
    };
  }
  if (!isNeeded) return { ...closed, tries, failed: failure.code };
  return { ...closed, tries, refused: failure.code, notBefore: now + refusedWaitMs(tries) };
}

function isUnclear(failure: FailureFacts): boolean {
  return failure.class === 'ambiguous' || failure.class === 'unreadable';
}

/** How long to wait after so many tries, the last of which Slack refused: an invitation or a scope may mend it. */
export function refusedWaitMs(tries: number): number {
  return patientWaitMs(tries - 1, 60_000, 15 * 60_000);
}

/** What somebody has to read is tried for so long, and then given up: every record ends some time. */
export const TELL_FOR_MS = 7 * 86_400_000;

/** The post after a try that failed; given up when nothing has succeeded for too long. */
export function triedInVain(post: Post, failure: FailureFacts, now: number): Post {
  const { since = now, failed } = post;
  if (failed !== undefined) return post;
  return now - since > TELL_FOR_MS ? { ...post, failed: failure.code } : { ...post, since };
}

/**
 * What came of an attempt that is not known any more, because the store lost its note: it may stand there,
 * and is looked for. Another one that is open says by itself what comes of it.
 */
export function learnedLate(
  post: Post,
  step: Planned,
  result: { readonly kind: 'posted' } | { readonly kind: 'failed'; failure: FailureFacts },
  timing: Timing,
  now: number,
): Post {
  const mayStand = result.kind === 'posted' || isUnclear(result.failure);
  return isOpen(post) && post.attempt === undefined && mayStand
    ? postBegun(post, step, timing, now)
    : post;
}

/** The search for a post whose answer was lost did not find it, or could not be made. */
export function searchedInVain(
  post: Post,
  step: Planned,
  result: { readonly kind: 'not-found' } | { readonly kind: 'failed'; failure: FailureFacts },
  timing: Timing,
  now: number,
): Post {
  const { attempt, ...closed } = post;
  if (attempt === undefined) return post;
  const quietAt = attempt.mustEndBy + timing.quietMs;
  // What the search saw may be as old as its beginning.
  const isQuiet = step.plannedAt >= quietAt;
  const { notBefore, seeks = 0, ...again } = closed;
  if (result.kind === 'not-found') {
    if (isQuiet) return { ...again, tries: (post.tries ?? 0) + 1 };
    return { ...post, notBefore: quietAt };
  }
  const { failure } = result;
  // Slack will not let us look: a copy is better than nobody being asked.
  const mayNotLook = failure.class === 'refused' && failure.status !== 429;
  if (mayNotLook && isQuiet) return again;
  if (mayNotLook) return { ...post, notBefore: quietAt };
  if (failure.status === 429) {
    return { ...post, notBefore: now + (failure.retryAfterMs ?? timing.defaultRetryAfterMs) };
  }
  // A search may take more than there is time for: Slack is not asked for the same pages every few seconds.
  const waitMs = patientWaitMs(seeks, timing.defaultRetryAfterMs, 60_000);
  return { ...post, seeks: seeks + 1, notBefore: now + waitMs };
}

/** The search for a post that may have been forgotten did not find it, or could not be made. */
export function soughtInVain(
  { seeks = 0, ...post }: Post,
  { plannedAt }: Planned,
  result: { readonly kind: 'not-found' } | { readonly kind: 'failed'; failure: FailureFacts },
  timing: Timing,
  now: number,
): Post {
  if (result.kind === 'not-found') return { ...post, soughtAt: plannedAt };
  const { failure } = result;
  const isLimited = failure.status === 429;
  const mayNotLook = failure.class === 'refused' && !isLimited;
  const failed = seeks + (isLimited ? 0 : 1);
  if (mayNotLook || failed >= SEEKS_MAX) return { ...post, soughtAt: plannedAt };
  const patientMs = patientWaitMs(seeks, timing.retryMs[0], 60_000);
  const waitMs = failure.retryAfterMs ?? (isLimited ? timing.defaultRetryAfterMs : patientMs);
  return { ...post, seeks: failed, notBefore: now + waitMs };
}

/** The direct message that it goes to was opened. */
export function directOpened(post: Post, channel: string): Post {
  const { tries, notBefore, since, ...rest } = post;
  return { ...rest, channel };
}

/**
 * The direct message that it goes to could not be opened. One that is needed is tried for a week, because an
 * administrator may mend what Slack refuses; any other is given up when Slack refuses it.
 */
export function directNotOpened(
  post: Post,
  failure: FailureFacts,
  { isNeeded }: { readonly isNeeded: boolean },
  timing: Timing,
  now: number,
): Post {
  const isLimited = failure.status === 429;
  const isRefused = failure.class === 'refused' && !isLimited;
  if (isRefused && !isNeeded) return { ...post, failed: failure.code };
  const tries = (post.tries ?? 0) + (isLimited ? 0 : 1);
  const passingMs = isLimited
    ? timing.defaultRetryAfterMs
    : patientWaitMs(tries - 1, timing.retryMs[0], 60_000);
  const waitMs = isRefused ? refusedWaitMs(tries) : (failure.retryAfterMs ?? passingMs);
  return triedInVain({ ...post, tries, notBefore: now + waitMs }, failure, now);
}

/** Nobody can mend it: the person is gone, or cannot be written to. */
export function isNobodyThere({ code }: FailureFacts): boolean {
  return NOBODY_THERE.has(code);
}

/** Of `conversations.open` and `chat.postMessage`. */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'user_not_found',
  'users_not_found',
  'user_disabled',
  'user_not_visible',
  'invalid_user_combination',
  'cannot_dm_bot',
]);
