import type { MonotonicClock } from '../lib/clock.ts';
import type { Timing } from '../lib/timing.ts';

/** A post with only this many before it can reserve its slot at once. */
const NEAR = 2;

/**
 * An estimate, in this process, of how long posts to each channel wait for slots. It saves a new approval behind many
 * others from reserving and saving a slot long in advance; the slots alone decide when something is posted.
 */
export interface PostingQueue {
  /** A slot in the channel was reserved, this many milliseconds from now. */
  taken(channel: string, waitMs: number): void;
  /** Joins a channel's queue: returns in how many ms to ask for a slot; 0: now. */
  join(channel: string): number;
  /** A post that joined the queue will not be posted. */
  leave(channel: string): void;
}

export function createPostingQueue(clock: MonotonicClock, { postEveryMs }: Timing): PostingQueue {
  /** When the next post to join would have its slot. */
  const nextAt = new Map<string, number>();
  const nextOf = (channel: string) => nextAt.get(channel) ?? 0;
  return {
    taken(channel, waitMs) {
      const next = clock.monotonic() + waitMs + postEveryMs;
      nextAt.set(channel, Math.max(next, nextOf(channel)));
    },
    join(channel) {
      const waitMs = Math.ceil(nextOf(channel) - clock.monotonic());
      if (waitMs <= NEAR * postEveryMs) return 0;
      nextAt.set(channel, nextOf(channel) + postEveryMs);
      return waitMs;
    },
    leave: (channel) => void nextAt.set(channel, nextOf(channel) - postEveryMs),
  };
}
