import type { MonotonicClock } from '../../lib/clock.ts';

/**
 * Estimates the store's time. Each answer with the store's time was made between sending and receiving, which bounds
 * the difference of the two clocks from both sides.
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

  /** Another server may answer from now on: the estimate holds until it does. */
  forget(): void {
    this.#isKnown = false;
  }

  /** `sentAt`: this process's monotonic time when the request was sent. */
  learn(sentAt: number, storeNow: number): void {
    const least = storeNow - this.#clock.monotonic();
    const most = storeNow - sentAt + 1; // the store's time is cut to whole milliseconds
    const known = this.#isKnown ? this.#offsetMs : undefined;
    this.#offsetMs = Math.min(most, Math.max(least, known ?? least));
    this.#isKnown = true;
  }

  /** The current time, by the last answer; undefined: there was none. */
  get now(): number | undefined {
    return this.#offsetMs === undefined ? undefined : this.in(0);
  }

  /** A time on the store's clock, in whole ms; never, if nothing is known. */
  in(delayMs: number): number {
    if (this.#offsetMs === undefined) return Number.MAX_SAFE_INTEGER;
    return Math.ceil(this.#clock.monotonic() + this.#offsetMs + delayMs);
  }
}
