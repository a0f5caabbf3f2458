import type { Clock } from '../../../src/core/lib/clock.ts';

/** A clock that runs, and that the test can set. It takes no part in corrections of the machine's clock. */
export function passingClock() {
  const startedAt = Date.now() - performance.now();
  let shiftMs = 0;
  let passedMs = 0;
  const clock: Clock = {
    now: () => Math.floor(startedAt + performance.now() + shiftMs),
    monotonic: () => performance.now() + passedMs,
  };
  const pass = async (ms: number) => {
    shiftMs += ms;
    passedMs += Math.max(0, ms);
  };
  return { clock, pass, later: () => pass(2) };
}
