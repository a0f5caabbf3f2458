import { type Failed, settled } from '../reconcile/settled.ts';
import type { Outbox, Post } from '../slack/outbox.ts';
import type { Store } from '../store/store.ts';

export interface PostNeeds {
  readonly outbox: Pick<Outbox, 'post'>;
  readonly store: Pick<Store, 'pace' | 'pause'>;
}

export interface Posted {
  readonly kind: 'posted';
  readonly channel: string;
  readonly ts: string;
}

/** One post per second and channel, with a small burst, all replicas together. */
export const POSTS = { intervalMs: 1_000, burst: 4 } as const;

export interface Turn {
  readonly kind: 'turn';
  readonly waitMs: number;
  /** It is not taken: others go first. */
  readonly isLater?: true;
}

/** Takes the next turn to post to a channel; `waitMs` tells when it comes. */
export async function takeTurn(
  { store }: Pick<PostNeeds, 'store'>,
  channel: string,
): Promise<Turn> {
  return { kind: 'turn', waitMs: await store.pace(turnsOf(channel), POSTS) };
}

/**
 * Takes a turn that nobody else waits for, and leaves the burst to what asks; otherwise `waitMs` tells
 * when to try again.
 */
export async function takeSpareTurn(
  { store }: Pick<PostNeeds, 'store'>,
  channel: string,
): Promise<Turn> {
  const waitMs = await store.pace(turnsOf(channel), { ...POSTS, burst: 1, onlyNow: true });
  return { kind: 'turn', waitMs, ...(waitMs > 0 && { isLater: true }) };
}

/** Posts to a channel; its turn was taken before. A channel that Slack slows down rests. */
export async function makePost({ outbox, store }: PostNeeds, post: Post): Promise<Posted | Failed> {
  const result = await settled(
    outbox.post(post).then((posted): Posted => ({ kind: 'posted', ...posted })),
  );
  if (result.kind === 'failed' && result.failure.status === 429) {
    await store.pause(turnsOf(post.channel), result.failure.retryAfterMs ?? POSTS.intervalMs);
  }
  return result;
}

/** All posts to a channel take turns. */
function turnsOf(channel: string): string {
  return `post:${channel}`;
}
