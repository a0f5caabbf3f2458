import type { MonotonicClock } from './clock.ts';

/** Keeps this process from asking again what was told to wait. */
export interface Pause {
  /** 0: go on. */
  leftMs(): number;
  /** A longer pause already set stays. */
  set(forMs: number): void;
}

export function createPause(clock: MonotonicClock): Pause {
  let endsAt = 0;
  return {
    leftMs: () => Math.max(0, endsAt - clock.monotonic()),
    set(forMs) {
      endsAt = Math.max(endsAt, clock.monotonic() + forMs);
    },
  };
}
