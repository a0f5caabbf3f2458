/**
 * Messages that belong to a record and are posted once: their state and next step (this file), the call of each step
 * (`post-calls.ts`), its result (`post-transitions.ts`), and the queue of each channel (`posting-queue.ts`). A post
 * whose answer was lost is searched for before it is posted again.
 */

import type { Attempt } from '../engine/attempt.ts';

/** A post in Slack that belongs to a record and is made once. `name` is also in its metadata. */
export interface Post {
  readonly name: string;
  /** Absent for a direct message that is not open yet. */
  readonly channel?: string;
  readonly ts?: string;
  /** An attempt with an unknown result. */
  readonly attempt?: Attempt;
  readonly tries?: number;
  readonly notBefore?: number;
  /** A rate-limit slot is reserved, at `notBefore`. */
  readonly slot?: true;
  /** When its turn in the channel's queue comes; even then posts that ask may go first. */
  readonly turnAt?: number;
  /** Failed searches, after a lost answer or because the store may have lost the post. */
  readonly seeks?: number;
  /** When it was last searched for and not found, or given up. */
  readonly soughtAt?: number;
  /** Since when every try has failed. */
  readonly since?: number;
  /** The `ts` of earlier messages that were replaced because they were deleted or could not be updated. */
  readonly gone?: readonly string[];
  /** How many of those still exist, and could not be updated. */
  readonly replaced?: number;
  /** Slack's error code after a refusal; it is tried again. */
  readonly refused?: string;
  /** Slack's error code; it will not be posted. */
  readonly failed?: string;
}

/** The next step of a post. */
export type PostStep = 'open' | 'slot' | 'find' | 'post';

/** A repeated post has another name, so that a search does not find the first one. */
export function nameInMetadata({ name, gone = [] }: Post): string {
  return gone.length === 0 ? name : `${name}-again-${gone.length}`;
}

/** Whether it is still to be posted. */
export function isOpen(post: Post): boolean {
  return post.ts === undefined && post.failed === undefined;
}

/** After about a minute a failing search is given up: a duplicate is better than nobody being asked. */
export const SEEKS_MAX = 8;

/**
 * The next step, or when one may become due. `open`: its direct message. A post that the store may have lost is
 * searched for first, at `lostUntil`.
 */
export function duePost(post: Post, now: number, lostUntil = 0): PostStep | number | null {
  if (!isOpen(post)) return null;
  if (post.notBefore !== undefined && now < post.notBefore) return post.notBefore;
  // First: a late answer may note an attempt after the store has lost that its conversation was opened.
  if (post.channel === undefined) return 'open';
  if (post.attempt !== undefined) return 'find';
  if ((post.soughtAt ?? 0) < lostUntil) return now < lostUntil ? lostUntil : 'find';
  return post.slot === undefined ? 'slot' : 'post';
}

/** The place of a post that only informs in its channel's queue: joining, its turn, or overdue. */
export type Turn = 'new' | 'come' | 'over';

/** How long posts that ask may go before a post whose turn has come. */
const PASSED_OVER_MS = 60_000;

export function turnOf({ turnAt }: Post, now: number): Turn {
  if (turnAt === undefined) return 'new';
  return now - turnAt < PASSED_OVER_MS ? 'come' : 'over';
}
