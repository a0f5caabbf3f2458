import { attemptAt, isOf, type Planned } from '../engine/attempt.ts';
import { patientWaitMs, tryAgain } from '../engine/patience.ts';
import { type FailureFacts, isRefused, isUnclear } from '../lib/failure.ts';
import { omit } from '../lib/omit.ts';
import type { Timing } from '../lib/timing.ts';
import { isOpen, type Post, type PostStep, SEEKS_MAX, type Turn } from './post.ts';
import type { PostingResult } from './post-calls.ts';

/** How a post goes on after each of its steps: pure, whatever record it belongs to. */

/** A step as its record planned it. */
export interface PlannedPosting extends Planned {
  readonly kind: PostStep;
  /** Of a slot: as it was asked for. */
  readonly turn?: Turn | undefined;
}

/**
 * How long a post is tried. taken: until Slack takes it, because an invitation or a scope may mend what it
 * refuses. week: so too, but at most a week, and not where nobody is there to read it. refused: until Slack
 * refuses it, at most a week.
 */
export type TryUntil = 'taken' | 'week' | 'refused';

/** It is about to be posted. */
export function postBegun(post: Post, step: Planned, timing: Timing, now: number): Post {
  const { notBefore, slot, turnAt, ...rest } = post;
  return { ...rest, attempt: attemptAt(step, timing, now) };
}

/** The post after a step; the same object where its result says nothing new of it, because it comes too late or is unclear. */
export function applyPosting(
  post: Post,
  step: PlannedPosting,
  result: PostingResult,
  until: TryUntil,
  timing: Timing,
  now: number,
): Post {
  // Its message was found or posted meanwhile.
  if (post.ts !== undefined) return post;
  const isLate = step.kind === 'post' && !isOf(step, post.attempt);
  switch (result.kind) {
    case 'slot': {
      const at = now + result.waitMs;
      if (result.isLater === undefined) return { ...post, slot: true, notBefore: at };
      // One that waits in line keeps the turn that it had first.
      return { ...(step.turn && { turnAt: at }), ...post, notBefore: at };
    }
    case 'opened':
      return { ...omit<Post, Post>(post, 'tries', 'notBefore', 'since'), channel: result.channel };
    case 'posted':
      return isLate ? learnedLate(post, step, timing, now) : postKnown(post, result.ts);
    case 'not-found':
      return searchEnded(post, step, timing);
    case 'failed': {
      const { failure } = result;
      if (isLate) return isUnclear(failure) ? learnedLate(post, step, timing, now) : post;
      const tried =
        step.kind === 'find'
          ? searchFailed(post, step, failure, timing, now)
          : tryFailed(post, step, failure, until, timing, now);
      return until === 'taken' ? tried : triedInVain(tried, failure, now);
    }
  }
}

/** It stands in Slack. */
function postKnown(post: Post, ts: string): Post {
  const { attempt, tries, notBefore, refused, failed, seeks, since, ...rest } = post;
  return { ...rest, ts };
}

/**
 * What came of an attempt that is not known any more, because the store lost its note: it may stand there,
 * and is looked for. Another one that is open says by itself what comes of it.
 */
function learnedLate(post: Post, step: Planned, timing: Timing, now: number): Post {
  const isForgotten = isOpen(post) && post.attempt === undefined;
  return isForgotten ? postBegun(post, step, timing, now) : post;
}

/** Slack did not take it, did not open the direct message that it goes to, or nobody knows. */
function tryFailed(
  post: Post,
  { kind }: PlannedPosting,
  failure: FailureFacts,
  until: TryUntil,
  timing: Timing,
  now: number,
): Post {
  // It may be there: it is looked for before anything is repeated.
  if (kind === 'post' && isUnclear(failure)) return post;
  const { attempt, ...closed } = post;
  const { tries, notBefore } = tryAgain(post.tries, failure, timing, now);
  const tried = { ...closed, ...(tries > 0 && { tries }) };
  const { code } = failure;
  if (!isRefused(failure)) return { ...tried, notBefore };
  const isEnd = until === 'refused' || (until === 'week' && NOBODY_THERE.has(code));
  return isEnd ? { ...tried, failed: code } : { ...tried, refused: code, notBefore };
}

/** Nobody can mend it: the person is gone, or cannot be written to (`conversations.open`, `chat.postMessage`). */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'user_not_found',
  'users_not_found',
  'user_disabled',
  'user_not_visible',
  'invalid_user_combination',
  'cannot_dm_bot',
]);

/** What somebody has to read is tried for so long, and then given up: every record ends some time. */
export const TELL_FOR_MS = 7 * 86_400_000;

/** Given up when nothing has succeeded for too long. */
function triedInVain(post: Post, { code }: FailureFacts, now: number): Post {
  const { since = now, failed } = post;
  if (failed !== undefined) return post;
  return now - since > TELL_FOR_MS ? { ...post, failed: code } : { ...post, since };
}

/**
 * The post was not found, or Slack will not let us look: a copy is better than nobody being asked. `tries`
 * counts one that is certainly not there. What the search saw may be as old as its beginning.
 */
function searchEnded(post: Post, { plannedAt }: Planned, timing: Timing, isSeen = true): Post {
  const { attempt, seeks, notBefore, ...again } = post;
  // It was looked for because a store may have forgotten it.
  if (attempt === undefined) return { ...omit<Post, Post>(post, 'seeks'), soughtAt: plannedAt };
  const quietAt = attempt.mustEndBy + timing.quietMs;
  if (plannedAt < quietAt) return { ...post, notBefore: quietAt };
  return isSeen ? { ...again, tries: (post.tries ?? 0) + 1 } : again;
}

/** A search may take more than there is time for: Slack is not asked for the same pages every few seconds. */
function searchFailed(
  post: Post,
  step: Planned,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Post {
  const { attempt, seeks = 0 } = post;
  const isLimited = failure.status === 429;
  const failed = seeks + (isLimited ? 0 : 1);
  const isEnough = attempt === undefined && failed >= SEEKS_MAX;
  if (isEnough || isRefused(failure)) return searchEnded(post, step, timing, false);
  const { retryMs, defaultRetryAfterMs } = timing;
  const first = attempt === undefined ? retryMs[0] : defaultRetryAfterMs;
  const waitMs = isLimited ? defaultRetryAfterMs : patientWaitMs(seeks, first, 60_000);
  return { ...post, seeks: failed, notBefore: now + (failure.retryAfterMs ?? waitMs) };
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
