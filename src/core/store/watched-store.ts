import type { MonotonicClock } from '../lib/clock.ts';
import type { Timers } from '../lib/timers.ts';
import { type Away, type Store, StoreError } from './store.ts';

/** A call of the store that was answered. */
export type StoreCall = {
  [Name in keyof Store]: Store[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? { readonly name: Name; readonly args: Args; readonly answer: Answer }
    : never;
}[keyof Store];

interface Watch {
  readonly clock: MonotonicClock;
  readonly timers: Timers;
  /** Told of each answer before the caller gets it. */
  readonly onAnswer?: (call: StoreCall, tookMs: number) => void;
  /** The same of each failure. */
  readonly onFailure?: (name: string, error: unknown, tookMs: number) => void;
}

/**
 * The same store, whose calls are watched, and its health. It has to be a plain object whose methods do not use `this`.
 */
export function watchStore(
  store: Store,
  watch: Watch,
): { readonly store: Store; readonly health: StoreHealth } {
  const { clock, onAnswer, onFailure } = watch;
  const health = new StoreHealth(watch);
  const watched =
    (name: string, method: (...args: readonly unknown[]) => Promise<unknown>) =>
    async (...args: readonly unknown[]) => {
      const at = clock.monotonic();
      let answer: unknown;
      try {
        answer = await method(...args);
      } catch (error) {
        health.noteFailed(at, error);
        onFailure?.(name, error, clock.monotonic() - at);
        throw error;
      }
      // as: the store's own method
      onAnswer?.({ name, args, answer } as StoreCall, clock.monotonic() - at);
      return answer;
    };
  const members = Object.entries(store).map(([name, member]) =>
    typeof member !== 'function' || UNWATCHED.has(name)
      ? [name, member]
      : [name, watched(name, member)],
  );
  return { store: { ...store, ...Object.fromEntries(members) }, health };
}

/** They answer from memory, or in pieces. */
const UNWATCHED: ReadonlySet<string> = new Set([
  'now',
  'servingSince',
  'wentBackAt',
  'auditShards',
  'readAudit',
] satisfies (keyof Store)[]);

/**
 * `failing`: no write has succeeded for `FAILING_AFTER_MS`. `down`: for `DOWN_AFTER_MS`, longer than a restart of the
 * store takes.
 */
export type StoreState = 'up' | 'failing' | 'down';

/** Which part fails; null: all of it, or nothing. */
type Part = Omit<Away, 'error'> | null;

/** Called on each change, with the first failure since the store, or that part of it, worked. */
type OnStoreState = (state: StoreState, error: StoreError | null, part: Part) => void;

const FAILING_AFTER_MS = 3_000;
const DOWN_AFTER_MS = 10_000;
/** The interval of test writes: while the store works, and after a failure. */
const PROBE_MS = { up: 3_000, failed: 1_000 } as const;

/**
 * Whether the store accepts writes. One that answers but accepts none (a replica, full memory or disk) is as useless as
 * one that is unavailable, so a small write tests it regularly, and after a failure of any call until it succeeds. It
 * also shows how much of the store fails: while one shard of a Cluster is unavailable, the others still work.
 */
export class StoreHealth {
  readonly #clock: MonotonicClock;
  readonly #timers: Timers;
  #onChange: OnStoreState = () => {};
  #state: StoreState = 'up';
  /** The first failure since the last successful write; `at`: when the failed call began. */
  #failure: { readonly at: number; readonly error: StoreError } | null = null;
  /** Tested since then: before that it is not known how much fails. */
  #isTried = false;
  /** Which part failed in the last test; null: all, or nothing. */
  #away: Away | null = null;
  /** The part last reported to `onChange`. */
  #told: Part = null;
  /** Since when all of it has failed, after a part did. */
  #allAwayAt: number | null = null;
  #lastFailedAt = Number.NEGATIVE_INFINITY;
  #cancelProbe = () => {};
  #isProbing = false;
  #runs = false;
  readonly #stopping = new AbortController();
  #ping: Store['ping'] = async () => null;

  constructor({ clock, timers }: { readonly clock: MonotonicClock; readonly timers: Timers }) {
    this.#clock = clock;
    this.#timers = timers;
  }

  /** Starts testing the store; all its calls have to be watched. */
  start(store: Pick<Store, 'ping'>, onChange: OnStoreState): void {
    this.#ping = store.ping;
    this.#onChange = onChange;
    this.#runs = true;
    this.#probeIn(PROBE_MS.up);
  }

  /** At least part of it accepts writes. */
  isUp(): boolean {
    this.#update();
    return this.#state === 'up' || this.#away !== null;
  }

  /** Part of it accepts no writes, as far as is already known. */
  get isPartlyAway(): boolean {
    return this.#away !== null;
  }

  /** Aborts when it stops. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  stop(): void {
    this.#runs = false;
    this.#cancelProbe();
    this.#stopping.abort();
  }

  /** A call that began at `at` failed. */
  noteFailed(at: number, error: unknown): void {
    if (!(error instanceof StoreError)) return;
    this.#lastFailedAt = this.#clock.monotonic();
    if (this.#failure !== null) return;
    this.#failure = { at, error };
    this.#isTried = false;
    this.#probeIn(PROBE_MS.failed);
  }

  #probeIn(ms: number): void {
    this.#cancelProbe();
    if (!this.#runs || this.#isProbing) return;
    this.#cancelProbe = this.#timers.after(ms, () => void this.#probe());
  }

  async #probe(): Promise<void> {
    this.#isProbing = true;
    const at = this.#clock.monotonic();
    try {
      const away = await this.#ping();
      this.#allAwayAt = null;
      if (away !== null) {
        this.#failure ??= { at, error: away.error };
        this.#away = away;
      } else if (this.#lastFailedAt < at) {
        this.#failure = null;
        this.#away = null;
      }
    } catch (error) {
      if (error instanceof StoreError) this.#noteAllAway(at, error);
    }
    this.#isProbing = false;
    this.#isTried = true;
    this.#update();
    this.#probeIn(this.#failure === null ? PROBE_MS.up : PROBE_MS.failed);
  }

  /** Handled like any failure; a partial failure becomes a complete one if it lasts. */
  #noteAllAway(at: number, error: StoreError): void {
    if (this.#away === null) return;
    this.#allAwayAt ??= at;
    if (this.#clock.monotonic() - this.#allAwayAt < FAILING_AFTER_MS) return;
    this.#failure = { at: this.#allAwayAt, error };
    this.#away = null;
  }

  #update(): void {
    const state = this.#stateNow();
    const part = state === 'up' ? null : this.#away;
    if ((state === this.#state && isSame(part, this.#told)) || !this.#runs) return;
    this.#state = state;
    this.#told = part;
    this.#onChange(state, this.#failure?.error ?? null, part);
  }

  #stateNow(): StoreState {
    if (this.#failure === null || !this.#isTried) return 'up';
    const failedMs = this.#clock.monotonic() - this.#failure.at;
    if (failedMs >= DOWN_AFTER_MS) return 'down';
    return failedMs >= FAILING_AFTER_MS ? 'failing' : 'up';
  }
}

function isSame(one: Part, other: Part): boolean {
  return one?.shards === other?.shards && one?.servers.join() === other?.servers.join();
}
