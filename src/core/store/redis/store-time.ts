import type { MonotonicClock } from '../../lib/clock.ts';

/**
 * Knows about what time it is in the store. Each answer that carries the store's time was given
 * between sending and receiving, which bounds the distance of the two clocks from both sides.
 */
export class StoreTime {
  readonly #clock: MonotonicClock;
  #offsetMs: number | undefined;
  #isKnown = false;

  constructor(clock: MonotonicClock) {
    this.#clock = clock;
  }

  get isKnown(): boolean {
    return this.#isKnown;
  }

  /** Another server may answer from now on: what is known counts until it does. */
  forget(): void {
    this.#isKnown = false;
  }

  /** `sentAt`: this process's monotonic time when the question was sent. */
  learn(sentAt: number, storeNow: number): void {
    const least = storeNow - this.#clock.monotonic();
    const most = storeNow - sentAt + 1; // the store's time is cut to whole milliseconds
    const known = this.#isKnown ? this.#offsetMs : undefined;
    this.#offsetMs = Math.min(most, Math.max(least, known ?? least));
    this.#isKnown = true;
  }

  /** What time it is, by the last answer; undefined: there was none. */
  get now(): number | undefined {
    return this.#offsetMs === undefined ? undefined : this.in(0);
  }

  /** A time on the store's clock, in whole ms; without end while nothing is known. */
  in(delayMs: number): number {
    if (this.#offsetMs === undefined) return Number.MAX_SAFE_INTEGER;
    return Math.ceil(this.#clock.monotonic() + this.#offsetMs + delayMs);
  }
}
