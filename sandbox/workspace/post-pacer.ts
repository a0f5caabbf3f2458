export interface PostRate {
  readonly perSecond: number;
  readonly burst: number;
}

/** The rate limit of posts: a small burst per channel, then one at a time. */
export interface PostPacer {
  /** Takes a slot; returns the milliseconds to wait if there is none. */
  readonly take: (channel: string, now: number) => number;
  readonly clear: () => void;
}

/** null: no limit. */
export function createPostPacer(rate: PostRate | null): PostPacer {
  const buckets = new Map<string, { tokens: number; at: number }>();
  return {
    clear: () => buckets.clear(),
    take: (channel, now) => {
      if (!rate) return 0;
      const bucket = buckets.get(channel) ?? { tokens: rate.burst, at: now };
      const refilled = ((now - bucket.at) / 1000) * rate.perSecond;
      const tokens = Math.min(rate.burst, bucket.tokens + refilled);
      const allowed = tokens >= 1;
      buckets.set(channel, { tokens: allowed ? tokens - 1 : tokens, at: now });
      return allowed ? 0 : ((1 - tokens) / rate.perSecond) * 1000;
    },
  };
}
