/**
 * Messages that belong to a record and are made once: their state and what is due (this file), the one call of
 * each step (`post-calls.ts`), what its result means (`post-transitions.ts`), and the pace of each channel
 * (`posting-queue.ts`). A post whose answer was lost is searched for before it is made again.
 */

import type { Attempt } from '../engine/attempt.ts';

/** One post in Slack that belongs to a record and is made once. `name` is what its metadata says. */
export interface Post {
  readonly name: string;
  /** Absent for a direct message that is not opened yet. */
  readonly channel?: string;
  readonly ts?: string;
  /** A post that was tried and whose end is not known. */
  readonly attempt?: Attempt;
  readonly tries?: number;
  readonly notBefore?: number;
  /** Its rate-limit slot is reserved, from `notBefore` on. */
  readonly slot?: true;
  /** When its turn in the line of the channel came, or comes: what asks may go first then too. */
  readonly turnAt?: number;
  /** Searches that failed, for a post whose answer was lost, or that a store which lost its last writes may have forgotten. */
  readonly seeks?: number;
  /** When it was last looked for so, and not found or not to be looked for. */
  readonly soughtAt?: number;
  /** Since when every try has failed. */
  readonly since?: number;
  /** The `ts` of messages in whose place it was posted again, because they were found deleted or cannot be changed. */
  readonly gone?: readonly string[];
  /** How many of these stand, and could not be changed. */
  readonly replaced?: number;
  /** Slack's error code: it was refused so, and is tried again. */
  readonly refused?: string;
  /** Slack's error code: it will not be posted. */
  readonly failed?: string;
}

/** What is to be done next for a post, when it is due; null: nothing. */
export type PostStep = 'open' | 'slot' | 'find' | 'post';

/** A message that is posted again has another name, so that a search does not take the first one for it. */
export function nameInMetadata({ name, gone = [] }: Post): string {
  return gone.length === 0 ? name : `${name}-again-${gone.length}`;
}

/** Whether it is still to be posted. */
export function isOpen(post: Post): boolean {
  return post.ts === undefined && post.failed === undefined;
}

/** A search that has failed for about a minute is given up: a copy is better than nobody being asked. */
export const SEEKS_MAX = 8;

/**
 * The next step, or the time when one may be due. `open`: the direct message that it goes to. What may
 * have been posted and forgotten, because the store lost writes, is looked for first, `lostUntil` then.
 */
export function duePost(post: Post, now: number, lostUntil = 0): PostStep | number | null {
  if (!isOpen(post)) return null;
  if (post.notBefore !== undefined && now < post.notBefore) return post.notBefore;
  if (post.attempt !== undefined) return 'find';
  if (post.channel === undefined) return 'open';
  if ((post.soughtAt ?? 0) < lostUntil) return now < lostUntil ? lostUntil : 'find';
  return post.slot === undefined ? 'slot' : 'post';
}

/** How a post that only tells stands in the line of its channel: it joins, its turn has come, or came too long ago. */
export type Turn = 'new' | 'come' | 'over';

/** For how long what asks may go before a post whose turn has come. */
const PASSED_OVER_MS = 60_000;

export function turnOf({ turnAt }: Post, now: number): Turn {
  if (turnAt === undefined) return 'new';
  return now - turnAt < PASSED_OVER_MS ? 'come' : 'over';
}
