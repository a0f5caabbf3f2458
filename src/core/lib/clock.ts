/** For durations and ages. */
export interface MonotonicClock {
  /** Milliseconds since some start; never goes back. */
  monotonic(): number;
}

/** Time as an argument. */
export interface Clock extends MonotonicClock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Clocks differ by less from one look to the next, unless the machine slept. */
const NAP_MS = 1_000;

/**
 * How old things are: the monotonic clock, which stands still while the machine is suspended, with
 * what the other clock says went by meanwhile.
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

/** A time of day that never goes back. */
export interface SteadyClock {
  /** In whole milliseconds since the epoch. */
  now(): number;
  /** The same, and from now on never before `time`. */
  noEarlierThan(time: number): number;
}

/**
 * How fast time goes on after the clock was set back, until the clock has caught up: whatever waits
 * goes on, and what is said for a time of day is not off for ever.
 */
const CATCHING_UP = 0.9;

/** Follows the clock, but where that was set back. */
export function steadyClock(clock: Clock): SteadyClock {
  let at = Number.NEGATIVE_INFINITY;
  let tick = clock.monotonic();
  const noEarlierThan = (time: number) => {
    const before = tick;
    tick = clock.monotonic();
    at = Math.max(clock.now(), at + (tick - before) * CATCHING_UP, time);
    return Math.floor(at);
  };
  return { now: () => noEarlierThan(Number.NEGATIVE_INFINITY), noEarlierThan };
}
