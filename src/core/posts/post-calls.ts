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

/** What a record wants to stand in Slack: where, what it says, and how it is found there. */
export interface WantedPost {
  readonly post: Post;
  /** Slack user id: whose direct message it is. */
  readonly user?: string;
  readonly threadTs?: string;
  /** Also shown in the channel; with `threadTs` only. */
  readonly replyBroadcast?: true;
  /** How it stands in the line of its channel; absent: it asks, and goes first. spare: it continues what asks. */
  readonly turn?: Turn | 'spare';
  /** Slack user ids of people whom it names. They are looked up with its slot: when it is tried, it is sent at once. */
  readonly names?: readonly string[];
  /** On the store's clock: it was not posted before. */
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

/** The search looked at everything since its `sinceAt`. */
interface NotFound {
  readonly kind: 'not-found';
}

interface Opened {
  readonly kind: 'opened';
  readonly channel: string;
}

export interface Slot {
  readonly kind: 'slot';
  /** When it comes. */
  readonly waitMs: number;
  /** It is not taken: others go first, and `waitMs` tells when to try again. */
  readonly isLater?: true;
}

/** Makes the one call of a step. What fails in Slack is a result. Throws StoreError. */
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

/** Shared by all replicas. What only tells leaves some of the burst to what asks. */
const BURST = { asks: 4, tells: 2, spare: 1 } as const;

/**
 * Takes a slot to post to a channel. What asks has the next one. What only tells has one that nothing else waits
 * for, in turn: hundreds of these hold up nothing that asks, for none of them has a slot before its turn. One that
 * was passed over for a minute takes the next slot there is. What continues leaves the burst to what asks.
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

/** Its slot was taken before. A channel that Slack slows down rests. */
async function makePost(
  { outbox, store, timing }: PostNeeds,
  post: NewPost,
): Promise<Posted | Failed> {
  const posted = outbox.post(post);
  const result = await callResult(posted.then((each) => ({ kind: 'posted', ...each }) as const));
  if (result.kind === 'failed' && result.failure.status === 429) {
    const forMs = result.failure.retryAfterMs ?? timing.postEveryMs;
    // That Slack did not take it is certain, whatever the store says.
    await store.pause(slotsOf(post.channel), forMs).catch(() => undefined);
  }
  return result;
}

/** All posts to a channel share one rate limit. */
function slotsOf(channel: string): string {
  return `post:${channel}`;
}
