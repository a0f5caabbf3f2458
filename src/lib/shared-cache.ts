import type { Clock } from './clock.ts';

export interface SharedCacheOptions<Value> {
  /** How long an answer may be given again, by what it says. */
  readonly lifetimeMs: (value: Value) => number;
  /** The one that was asked for longest ago makes room. */
  readonly maxEntries: number;
  readonly clock: Pick<Clock, 'monotonic'>;
}

export interface SharedCache<Value> {
  /**
   * The known answer, when it was asked for no longer than its lifetime and `maxAgeMs` ago; else
   * asks. Those who come meanwhile share the question. Failures are shared and not kept.
   */
  get(key: string, ask: () => Promise<Value>, maxAgeMs?: number): Promise<Value>;
}

interface Entry<Value> {
  readonly askedAt: number;
  readonly answer: Promise<Value>;
  /** Without end while the answer is not there. */
  lifetimeMs: number;
}

/** Remembers answers for a while, and asks once for all who want to know. */
export function createSharedCache<Value>(options: SharedCacheOptions<Value>): SharedCache<Value> {
  const { lifetimeMs, maxEntries, clock } = options;
  const entries = new Map<string, Entry<Value>>();

  function begin(key: string, ask: () => Promise<Value>): Promise<Value> {
    const entry = {
      askedAt: clock.monotonic(),
      answer: ask(),
      lifetimeMs: Number.POSITIVE_INFINITY,
    };
    entries.delete(key);
    entries.set(key, entry);
    entry.answer.then(
      (value) => {
        entry.lifetimeMs = lifetimeMs(value);
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
      },
    );
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    return entry.answer;
  }

  return {
    get(key, ask, maxAgeMs = Number.POSITIVE_INFINITY) {
      const known = entries.get(key);
      if (known === undefined) return begin(key, ask);
      const isAsked = known.lifetimeMs === Number.POSITIVE_INFINITY;
      const ageMs = clock.monotonic() - known.askedAt;
      const isYoung = ageMs < Math.min(known.lifetimeMs, maxAgeMs);
      return isAsked || isYoung ? known.answer : begin(key, ask);
    },
  };
}
