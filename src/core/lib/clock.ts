/** For durations and ages. */
export interface MonotonicClock {
  /** Milliseconds since some start; never goes back. */
  monotonic(): number;
}

/** The clock, passed in. */
export interface Clock extends MonotonicClock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Larger differences between the two clocks mean that the machine slept. */
const NAP_MS = 1_000;

/**
 * Measures ages: the monotonic clock, which stops while the machine is suspended, plus the suspended time by the wall
 * clock.
 */
export function ageClock(clock: Clock): MonotonicClock {
  let before = { now: clock.now(), tick: clock.monotonic() };
  let asleepMs = 0;
  return {
    monotonic() {
      const look = { now: clock.now(), tick: clock.monotonic() };
      const missingMs = look.now - before.now - (look.tick - before.tick);
      if (missingMs > NAP_MS) asleepMs += missingMs;
      before = look;
      return look.tick + asleepMs;
    },
  };
}

/** A wall clock that never goes back. */
export interface SteadyClock {
  /** In whole milliseconds since the epoch. */
  now(): number;
  /** The same, and from now on at least `time`. */
  noEarlierThan(time: number): number;
}

/**
 * The speed of time after the clock was set back, until it has caught up: waits still end, and announced times are
 * eventually right.
 */
const CATCHING_UP = 0.9;

/** Follows the clock, except backwards. */
export function steadyClock(clock: Clock): SteadyClock {
  let at = Number.NEGATIVE_INFINITY;
  let tick = clock.monotonic();
  const noEarlierThan = (time: number) => {
    // Read first: time between the two readings must not count twice, or this clock would run ahead.
    const now = clock.now();
    const before = tick;
    tick = clock.monotonic();
    at = Math.max(now, at + (tick - before) * CATCHING_UP, time);
    return Math.floor(at);
  };
  return { now: () => noEarlierThan(Number.NEGATIVE_INFINITY), noEarlierThan };
}
