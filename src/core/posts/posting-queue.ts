import type { MonotonicClock } from '../lib/clock.ts';
import type { Timing } from '../lib/timing.ts';

/** A post whose slot comes before so many others may as well take it at once. */
const NEAR = 2;

/**
 * How long the posts to each channel wait for their slots, as far as this process knows. It spares a
 * new approval behind many others from taking its slot, and saving that, long before it comes; what
 * is posted when is up to the slots alone.
 */
export interface PostingQueue {
  /** A slot in the channel was taken, and comes in so many milliseconds. */
  taken(channel: string, waitMs: number): void;
  /** Goes to the end of a channel's queue: in how many ms to ask for a slot; 0: at once. */
  join(channel: string): number;
  /** What joined to wait in the channel's queue will not be posted. */
  leave(channel: string): void;
}

export function createPostingQueue(clock: MonotonicClock, { postEveryMs }: Timing): PostingQueue {
  /** When the next to come would have its slot. */
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
