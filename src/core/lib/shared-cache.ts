import type { MonotonicClock } from './clock.ts';

interface SharedCacheOptions<Value> {
  /** How long an answer can be reused, depending on the answer. */
  readonly lifetimeMs: (value: Value) => number;
  /** Beyond that, the entry requested longest ago is dropped. */
  readonly maxEntries: number;
  readonly clock: MonotonicClock;
}

interface SharedCache<Value> {
  /**
   * The cached answer, if it was requested within its lifetime; otherwise asks. Simultaneous callers share the
   * question. Failures are shared but not cached.
   */
  get(key: string, ask: () => Promise<Value>): Promise<Value>;
  /**
   * An answer requested after `since` (monotonic), by any caller; otherwise asks. A question already in flight at that
   * time is not shared, because its answer may be older.
   */
  getSince(since: number, key: string, ask: () => Promise<Value>): Promise<Value>;
  /** A question is in flight, which `get` shares. */
  isAsking(key: string): boolean;
  /** The next caller asks anew, whatever is in flight. */
  forget(key: string): void;
  /** The last answer, if requested less than `maxAgeMs` ago; undefined: none. */
  last(key: string, maxAgeMs?: number): Value | undefined;
}

interface Entry<Value> {
  readonly askedAt: number;
  readonly answer: Promise<Value>;
  /** Absent until there is an answer. */
  known?: { readonly value: Value };
  /** The last answered entry, until this one is answered. */
  before: Entry<Value> | undefined;
}

/** Caches answers for a while, and asks once for simultaneous callers. */
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
    isAsking(key) {
      const entry = entries.get(key);
      return entry !== undefined && entry.known === undefined;
    },
    forget: (key) => void entries.delete(key),
    last(key, maxAgeMs = Number.POSITIVE_INFINITY) {
      const entry = answered(key);
      if (entry === undefined || clock.monotonic() - entry.askedAt >= maxAgeMs) return undefined;
      return entry.known?.value;
    },
  };
}
