import type { Clock } from '../../lib/clock.ts';

/**
 * Knows about what time it is in the store. Each answer that carries the store's time was given
 * between sending and receiving, which bounds the distance of the two clocks from both sides.
 */
export class StoreTime {
  readonly #clock: Pick<Clock, 'monotonic'>;
  #offsetMs: number | undefined;

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  get isKnown(): boolean {
    return this.#offsetMs !== undefined;
  }

  /** `sentAt`: this process's monotonic time when the question was sent. */
  learn(sentAt: number, storeNow: number): void {
    const least = storeNow - this.#clock.monotonic();
    const most = storeNow - sentAt + 1; // the store's time is cut to whole milliseconds
    this.#offsetMs = Math.min(most, Math.max(least, this.#offsetMs ?? least));
  }

  /** A time on the store's clock, in whole ms; without end while nothing is known. */
  in(delayMs: number): number {
    if (this.#offsetMs === undefined) return Number.MAX_SAFE_INTEGER;
    return Math.ceil(this.#clock.monotonic() + this.#offsetMs + delayMs);
  }
}
