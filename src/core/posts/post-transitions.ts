import { attemptAt, isOf, type Planned } from '../engine/attempt.ts';
import { patientWaitMs, tryAgain } from '../engine/patience.ts';
import { type FailureFacts, isRefused, isUnclear } from '../lib/failure.ts';
import { omit } from '../lib/omit.ts';
import type { Timing } from '../lib/timing.ts';
import { isOpen, type Post, type PostStep, SEEKS_MAX, type Turn } from './post.ts';
import type { Posted, PostingResult } from './post-calls.ts';

/** How steps change a post: pure, and independent of the record it belongs to. */

/** A step as planned. */
export interface PlannedPosting extends Planned {
  readonly kind: PostStep;
  /** For a slot: the priority it was requested with. */
  readonly turn?: Turn | undefined;
}

/**
 * How long a post is tried. taken: until Slack accepts it, because an invitation or a scope can fix a refusal. week:
 * the same for at most a week, and not if nobody is there to read it. refused: until Slack refuses it, for at most a
 * week.
 */
export type TryUntil = 'taken' | 'week' | 'refused';

/** A copy with the attempt noted. */
export function postBegun(post: Post, step: Planned, timing: Timing, now: number): Post {
  const { notBefore, slot, turnAt, ...rest } = post;
  return { ...rest, attempt: attemptAt(step, timing, now) };
}

/** The post after a step; the same object if the result adds nothing, because it is late or unclear. */
export function applyPosting(
  post: Post,
  step: PlannedPosting,
  result: PostingResult,
  until: TryUntil,
  timing: Timing,
  now: number,
): Post {
  // It was found or posted in the meantime.
  if (post.ts !== undefined) return post;
  const isLate = step.kind === 'post' && !isOf(step, post.attempt);
  switch (result.kind) {
    case 'slot': {
      const at = now + result.waitMs;
      if (result.isLater === undefined) return { ...post, slot: true, notBefore: at };
      // A waiting post keeps its first turn.
      return { ...(step.turn && { turnAt: at }), ...post, notBefore: at };
    }
    case 'opened':
      return { ...omit<Post, Post>(post, 'tries', 'notBefore', 'since'), channel: result.channel };
    case 'posted':
      return isLate ? learnedLate(post, step, timing, now) : postKnown(post, result);
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

/** The post exists in Slack. The store may have lost in which conversation. */
function postKnown(post: Post, { channel, ts }: Posted): Post {
  const { attempt, tries, notBefore, refused, failed, seeks, since, ...rest } = post;
  return { channel, ...rest, ts };
}

/**
 * A result of an attempt whose note the store lost: the post may exist, so it is searched for. If another attempt is
 * open, its own result decides.
 */
function learnedLate(post: Post, step: Planned, timing: Timing, now: number): Post {
  const isForgotten = isOpen(post) && post.attempt === undefined;
  return isForgotten ? postBegun(post, step, timing, now) : post;
}

/** The post, or opening its direct message, failed or is unclear. */
function tryFailed(
  post: Post,
  { kind }: PlannedPosting,
  failure: FailureFacts,
  until: TryUntil,
  timing: Timing,
  now: number,
): Post {
  // It may exist: it is searched for before it is posted again.
  if (kind === 'post' && isUnclear(failure)) return post;
  const { attempt, ...closed } = post;
  const { tries, notBefore } = tryAgain(post.tries, failure, timing, now);
  // An attempt that is known although its conversation is not is still searched for.
  const tried = { ...(kind === 'open' ? post : closed), ...(tries > 0 && { tries }) };
  const { code } = failure;
  if (!isRefused(failure)) return { ...tried, notBefore };
  const isEnd = until === 'refused' || (until === 'week' && NOBODY_THERE.has(code));
  return isEnd ? { ...tried, failed: code } : { ...tried, refused: code, notBefore };
}

/** Nobody can fix it: the person is gone, or cannot receive messages (`conversations.open`, `chat.postMessage`). */
const NOBODY_THERE: ReadonlySet<string> = new Set([
  'user_not_found',
  'users_not_found',
  'user_disabled',
  'user_not_visible',
  'invalid_user_combination',
  'cannot_dm_bot',
]);

/** How long something a person should read is tried: every record has to end. */
export const TELL_FOR_MS = 7 * 86_400_000;

/** Gives up after failing for too long. */
function triedInVain(post: Post, { code }: FailureFacts, now: number): Post {
  const { since = now } = post;
  return now - since > TELL_FOR_MS ? { ...post, failed: code } : { ...post, since };
}

/**
 * The post was not found, or Slack does not allow the search: a duplicate is better than nobody being asked. `tries`
 * counts an attempt that certainly failed. The search is as old as its start.
 */
function searchEnded(post: Post, { plannedAt }: Planned, timing: Timing, isSeen = true): Post {
  const { attempt, seeks, notBefore, ...again } = post;
  // It was searched for because the store may have lost it.
  if (attempt === undefined) return { ...omit<Post, Post>(post, 'seeks'), soughtAt: plannedAt };
  const quietAt = attempt.mustEndBy + timing.quietMs;
  if (plannedAt < quietAt) return { ...post, notBefore: quietAt };
  return isSeen ? { ...again, tries: (post.tries ?? 0) + 1 } : again;
}

/** A search may not finish in time: it does not request the same pages every few seconds. */
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

/** The message is gone, or can never be updated: its content is posted again. */
export const NEEDS_NEW_MESSAGE: ReadonlySet<string> = new Set([
  'message_not_found',
  'cant_update_message',
  'edit_window_closed',
]);

/** The post to be sent again, because its message is gone or cannot be updated. */
export function repost({ ts, gone = [], ...post }: Post): Post {
  return { ...post, ...(ts !== undefined && { gone: [...gone, ts] }) };
}
