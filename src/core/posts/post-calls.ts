import { callResult, type Failed } from '../engine/call-result.ts';
import type { Timing } from '../lib/timing.ts';
import type { SlackLinks } from '../slack/links.ts';
import type { NewPost, Outbox, PostMetadata, SlackMessage } from '../slack/outbox.ts';
import type { RateLimiter } from '../store/store.ts';
import type { Post, PostStep, Turn } from './post.ts';
import type { PostingQueue } from './posting-queue.ts';

export interface PostNeeds {
  readonly outbox: Outbox;
  readonly store: RateLimiter;
  readonly timing: Timing;
  readonly links: Pick<SlackLinks, 'learnNames'>;
  readonly queue: Pick<PostingQueue, 'taken'>;
}

/** A post for Slack: where, with what content, and how to find it again. */
export interface WantedPost {
  readonly post: Post;
  /** Slack user id of a direct message's recipient. */
  readonly user?: string;
  readonly threadTs?: string;
  /** Also shown in the channel; only with `threadTs`. */
  readonly replyBroadcast?: true;
  /** Its priority in the channel; absent: it asks, and goes first. spare: it continues a message that asks. */
  readonly turn?: Turn | 'spare';
  /**
   * Slack user ids of people it names. Their names are read before the slot, so that the post itself is not delayed.
   */
  readonly names?: readonly string[];
  /** On the store's clock: it was not posted earlier. */
  readonly sinceAt: number;
  readonly metadata: PostMetadata;
  readonly content: () => SlackMessage;
}

export type PostingResult = Slot | Opened | NotFound | Posted | Failed;

export interface Posted {
  readonly kind: 'posted';
  readonly channel: string;
  readonly ts: string;
}

/** The search covered everything since `sinceAt`. */
interface NotFound {
  readonly kind: 'not-found';
}

interface Opened {
  readonly kind: 'opened';
  readonly channel: string;
}

export interface Slot {
  readonly kind: 'slot';
  /** When it comes, in milliseconds. */
  readonly waitMs: number;
  /** No slot was reserved: others go first, and `waitMs` says when to try again. */
  readonly isLater?: true;
}

/** Makes the step's call. Slack's failures are results. Throws StoreError. */
export async function executePosting(
  needs: PostNeeds,
  step: PostStep,
  wanted: WantedPost,
): Promise<PostingResult> {
  const { outbox } = needs;
  const { post, user, threadTs, replyBroadcast, sinceAt, metadata, content, names } = wanted;
  if (step === 'open') {
    if (user === undefined) throw new Error('a direct message is to somebody');
    const opened = outbox.openDirectMessage(user);
    return callResult(opened.then((channel) => ({ kind: 'opened', channel }) as const));
  }
  const { channel } = post;
  if (channel === undefined) throw new Error('a direct message is opened before it is written');
  const place = { channel, ...(threadTs !== undefined && { threadTs }) };
  switch (step) {
    case 'slot':
      if (names !== undefined) await needs.links.learnNames(names);
      return takeSlot(needs, channel, wanted.turn);
    case 'find': {
      const found = outbox.findByMetadata({ ...place, sinceAt, matches: metadata });
      return callResult(
        found.then((ts): Posted | NotFound =>
          ts === undefined ? { kind: 'not-found' } : { kind: 'posted', channel, ts },
        ),
      );
    }
    case 'post':
      return makePost(needs, {
        ...place,
        ...(replyBroadcast !== undefined && { replyBroadcast }),
        ...content(),
        metadata,
      });
  }
}

/** Shared by all replicas. Posts that only inform leave part of the burst to those that ask. */
const BURST = { asks: 4, tells: 2, spare: 1 } as const;

/**
 * Reserves a slot to post to a channel. A post that asks gets the next one. A post that only informs waits for a slot
 * that nobody else needs, in order, and reserves none before its turn, so hundreds of them do not delay a post that
 * asks; after being passed over for a minute, it gets the next slot. A continuation leaves the burst to posts that ask.
 */
async function takeSlot(
  { store, timing, queue }: PostNeeds,
  channel: string,
  turn: WantedPost['turn'],
): Promise<Slot> {
  const slots = slotsOf(channel);
  const intervalMs = timing.postEveryMs;
  if (turn === undefined || turn === 'over') {
    const waitMs = await store.pace(slots, { intervalMs, burst: BURST.asks });
    if (turn === undefined) queue.taken(channel, waitMs);
    return { kind: 'slot', waitMs };
  }
  const line =
    turn === 'spare' ? { burst: BURST.spare } : { burst: BURST.tells, joinsLine: turn === 'new' };
  const waitMs = await store.pace(slots, { intervalMs, onlyNow: true, ...line });
  return { kind: 'slot', waitMs, ...(waitMs > 0 && { isLater: true }) };
}

/** After its slot. If Slack rate-limits the channel, posting there pauses. */
async function makePost(
  { outbox, store, timing }: PostNeeds,
  post: NewPost,
): Promise<Posted | Failed> {
  const posted = outbox.post(post);
  const result = await callResult(posted.then((each) => ({ kind: 'posted', ...each }) as const));
  if (result.kind === 'failed' && result.failure.status === 429) {
    const forMs = result.failure.retryAfterMs ?? timing.postEveryMs;
    // Slack has certainly refused it, even if the store fails here.
    await store.pause(slotsOf(post.channel), forMs).catch(() => undefined);
  }
  return result;
}

/** The store's name for the rate limit shared by all posts to a channel. */
function slotsOf(channel: string): string {
  return `post:${channel}`;
}
