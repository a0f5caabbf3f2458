import { callResult, type Failed } from '../engine/call-result.ts';
import type { Timing } from '../lib/timing.ts';
import type { NewPost, Outbox, Search } from '../slack/outbox.ts';
import type { RateLimiter } from '../store/store.ts';
import type { Post } from './post.ts';

export interface PostNeeds {
  readonly outbox: Outbox;
  readonly store: RateLimiter;
  readonly timing: Timing;
}

export interface Posted {
  readonly kind: 'posted';
  readonly channel: string;
  readonly ts: string;
}

/** The search looked at everything since its `sinceAt`. */
export interface NotFound {
  readonly kind: 'not-found';
}

export interface Opened {
  readonly kind: 'opened';
  readonly channel: string;
}

/** All replicas together. What only tells leaves some of the burst to what asks. */
const BURST = { asks: 4, tells: 2 } as const;
/** For how long what asks may go before a post whose turn has come. */
const PASSED_OVER_MS = 60_000;

export interface Slot {
  readonly kind: 'slot';
  readonly waitMs: number;
  /** It is not taken: others go first. */
  readonly isLater?: true;
}

/** Takes the next slot to post to a channel; `waitMs` tells when it comes. */
export async function takeSlot({ store, timing }: PostNeeds, channel: string): Promise<Slot> {
  const rate = { intervalMs: timing.postEveryMs, burst: BURST.asks };
  return { kind: 'slot', waitMs: await store.pace(slotsOf(channel), rate) };
}

/**
 * Takes a slot that nobody else waits for, and leaves the burst to what asks; otherwise `waitMs` tells
 * when to try again.
 */
export async function takeSpareSlot({ store, timing }: PostNeeds, channel: string): Promise<Slot> {
  const rate = { intervalMs: timing.postEveryMs, burst: 1, onlyNow: true };
  const waitMs = await store.pace(slotsOf(channel), rate);
  return { kind: 'slot', waitMs, ...(waitMs > 0 && { isLater: true }) };
}

/** How a post that only tells stands in the line of its channel: it joins, its turn has come, or came too long ago. */
export type Turn = 'new' | 'come' | 'over';

export function turnOf({ turnAt }: Pick<Post, 'turnAt'>, now: number): { readonly turn: Turn } {
  if (turnAt === undefined) return { turn: 'new' };
  return { turn: now - turnAt < PASSED_OVER_MS ? 'come' : 'over' };
}

/**
 * Takes a slot for what only tells: one that nothing else waits for, in turn. Hundreds of these in a channel hold up
 * nothing that asks, for none of them has a slot before its turn; `waitMs` tells when to try again. One that was
 * passed over for a minute takes the next slot there is.
 */
export async function takeTurn(needs: PostNeeds, channel: string, turn: Turn): Promise<Slot> {
  if (turn === 'over') return takeSlot(needs, channel);
  const { store, timing } = needs;
  const only = { onlyNow: true, joinsLine: turn === 'new' };
  const rate = { intervalMs: timing.postEveryMs, burst: BURST.tells, ...only };
  const waitMs = await store.pace(slotsOf(channel), rate);
  return { kind: 'slot', waitMs, ...(waitMs > 0 && { isLater: true }) };
}

/** Posts to a channel; its slot was taken before. A channel that Slack slows down rests. */
export async function makePost(
  { outbox, store, timing }: PostNeeds,
  post: NewPost,
): Promise<Posted | Failed> {
  const result = await callResult(
    outbox.post(post).then((posted): Posted => ({ kind: 'posted', ...posted })),
  );
  if (result.kind === 'failed' && result.failure.status === 429) {
    const forMs = result.failure.retryAfterMs ?? timing.postEveryMs;
    // That Slack did not take it is certain, whatever the store says.
    await store.pause(slotsOf(post.channel), forMs).catch(() => undefined);
  }
  return result;
}

/** Searches Slack for a post whose answer was lost, or that may have been forgotten. */
export function findPosted(outbox: Outbox, search: Search): Promise<Posted | NotFound | Failed> {
  const { channel } = search;
  const found = outbox.findByMetadata(search);
  return callResult(
    found.then((ts): Posted | NotFound =>
      ts === undefined ? { kind: 'not-found' } : { kind: 'posted', channel, ts },
    ),
  );
}

/** Opens the direct message that a post goes to. */
export function openDirect(outbox: Outbox, user: string): Promise<Opened | Failed> {
  const opened = outbox.openDirectMessage(user);
  return callResult(opened.then((channel): Opened => ({ kind: 'opened', channel })));
}

/** All posts to a channel share one rate limit. */
function slotsOf(channel: string): string {
  return `post:${channel}`;
}
