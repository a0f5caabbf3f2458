/** Time as an argument. */
export interface Clock {
  /** Milliseconds since the epoch; may jump. */
  now(): number;
  /** Milliseconds since some start; never goes back. For durations and ages. */
  monotonic(): number;
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
export function ageClock(clock: Clock): Pick<Clock, 'monotonic'> {
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
