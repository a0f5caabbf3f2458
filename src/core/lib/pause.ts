import type { MonotonicClock } from './clock.ts';

/** A pause in this process, for calls that were told to wait. */
export interface Pause {
  /** 0: no pause. */
  leftMs(): number;
  /** A longer pause that is already set stays. */
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
