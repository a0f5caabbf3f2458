import type { MonotonicClock } from '../lib/clock.ts';
import type { Timers } from '../lib/timers.ts';
import { type Store, StoreError } from './store.ts';

/**
 * `failing`: no write has succeeded for `FAILING_AFTER_MS`. `down`: nor for `DOWN_AFTER_MS`, longer than
 * a restart of the store takes.
 */
export type StoreState = 'up' | 'failing' | 'down';

/** Told of each change, with the first failure since the store worked. */
type OnStoreState = (state: StoreState, error: StoreError | null) => void;

const FAILING_AFTER_MS = 3_000;
const DOWN_AFTER_MS = 10_000;
/** Between two writes that try the store: while it works, and after a failure. */
const PROBE_MS = { up: 3_000, failed: 1_000 } as const;

/**
 * Whether the store takes writes. One that answers and takes none (a replica, a full memory or disk) is
 * as useless as one that is away, so it is tried by a small write now and then, and after each failure
 * of any call until such a write succeeds.
 */
export class StoreHealth {
  /** The store, watched. */
  readonly store: Store;
  readonly #clock: MonotonicClock;
  readonly #timers: Timers;
  #onChange: OnStoreState = () => {};
  #state: StoreState = 'up';
  /** The first failure that no write followed; `at`: when the failed call began. */
  #failure: { readonly at: number; readonly error: StoreError } | null = null;
  #lastFailedAt = Number.NEGATIVE_INFINITY;
  #cancelProbe = () => {};
  #isProbing = false;
  #runs = false;
  readonly #stopping = new AbortController();

  constructor(
    store: Store,
    { clock, timers }: { readonly clock: MonotonicClock; readonly timers: Timers },
  ) {
    this.#clock = clock;
    this.#timers = timers;
    this.store = watched(store, (call) => this.#watch(call));
  }

  /** Begins to try it. */
  start(onChange: OnStoreState): void {
    this.#onChange = onChange;
    this.#runs = true;
    this.#probeIn(PROBE_MS.up);
  }

  isUp(): boolean {
    this.#update();
    return this.#state === 'up';
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

  #watch(call: Promise<unknown>): void {
    const at = this.#clock.monotonic();
    call.catch((error: unknown) => {
      if (!(error instanceof StoreError)) return;
      this.#lastFailedAt = this.#clock.monotonic();
      if (this.#failure !== null) return;
      this.#failure = { at, error };
      this.#probeIn(PROBE_MS.failed);
    });
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
      await this.store.ping();
      if (this.#lastFailedAt < at) this.#failure = null;
    } catch {
      // Noted as every failure is.
    }
    this.#isProbing = false;
    this.#update();
    this.#probeIn(this.#failure === null ? PROBE_MS.up : PROBE_MS.failed);
  }

  #update(): void {
    const state = this.#stateNow();
    if (state === this.#state || !this.#runs) return;
    this.#state = state;
    this.#onChange(state, this.#failure?.error ?? null);
  }

  #stateNow(): StoreState {
    if (this.#failure === null) return 'up';
    const failedMs = this.#clock.monotonic() - this.#failure.at;
    if (failedMs >= DOWN_AFTER_MS) return 'down';
    return failedMs >= FAILING_AFTER_MS ? 'failing' : 'up';
  }
}

/** The same store; `watch` sees the promise of each call. */
function watched(store: Store, watch: (call: Promise<unknown>) => void): Store {
  return new Proxy(store, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]) => {
        const answer: unknown = Reflect.apply(member, target, args);
        if (answer instanceof Promise) watch(answer);
        return answer;
      };
    },
  });
}
