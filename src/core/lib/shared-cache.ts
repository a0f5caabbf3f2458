import type { MonotonicClock } from './clock.ts';

interface SharedCacheOptions<Value> {
  /** How long an answer may be given again, by what it says. */
  readonly lifetimeMs: (value: Value) => number;
  /** The one that was asked for longest ago makes room. */
  readonly maxEntries: number;
  readonly clock: MonotonicClock;
}

interface SharedCache<Value> {
  /**
   * The known answer, when it was asked for no longer than its lifetime ago; else asks. Those who
   * come meanwhile share the question. Failures are shared and not kept.
   */
  get(key: string, ask: () => Promise<Value>): Promise<Value>;
  /**
   * The answer to a question that was asked after `since` (monotonic), whoever asked it; else asks.
   * One that was already under way then may tell what was so before, and is not shared.
   */
  getSince(since: number, key: string, ask: () => Promise<Value>): Promise<Value>;
  /** The last answer, asked for less than `maxAgeMs` ago; undefined: there is none. */
  last(key: string, maxAgeMs?: number): Value | undefined;
}

interface Entry<Value> {
  readonly askedAt: number;
  readonly answer: Promise<Value>;
  /** Absent while there is no answer yet. */
  known?: { readonly value: Value };
  /** The last one that has an answer, until this one has. */
  before: Entry<Value> | undefined;
}

/** Remembers answers for a while, and asks once for all who want to know. */
export function createSharedCache<Value>(options: SharedCacheOptions<Value>): SharedCache<Value> {
  const { lifetimeMs, maxEntries, clock } = options;
  const entries = new Map<string, Entry<Value>>();

  function begin(key: string, ask: () => Promise<Value>): Promise<Value> {
    const before = answered(key);
    const entry: Entry<Value> = { askedAt: clock.monotonic(), answer: ask(), before };
    entries.delete(key);
    entries.set(key, entry);
    entry.answer.then(
      (value) => {
        entry.known = { value };
        entry.before = undefined;
      },
      () => {
        if (entries.get(key) !== entry) return;
        if (before === undefined) entries.delete(key);
        else entries.set(key, before);
      },
    );
    for (const oldest of entries.keys()) {
      if (entries.size <= maxEntries) break;
      entries.delete(oldest);
    }
    return entry.answer;
  }

  function answered(key: string): Entry<Value> | undefined {
    const entry = entries.get(key);
    return entry?.known === undefined ? entry?.before : entry;
  }

  return {
    get(key, ask) {
      const entry = entries.get(key);
      if (entry === undefined) return begin(key, ask);
      const ageMs = clock.monotonic() - entry.askedAt;
      const isGood = entry.known === undefined || ageMs < lifetimeMs(entry.known.value);
      return isGood ? entry.answer : begin(key, ask);
    },
    getSince(since, key, ask) {
      const entry = entries.get(key);
      return entry !== undefined && entry.askedAt > since ? entry.answer : begin(key, ask);
    },
    last(key, maxAgeMs = Number.POSITIVE_INFINITY) {
      const entry = answered(key);
      if (entry === undefined || clock.monotonic() - entry.askedAt >= maxAgeMs) return undefined;
      return entry.known?.value;
    },
  };
}
