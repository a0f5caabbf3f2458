import { setImmediate as turn } from 'node:timers/promises';
import { type System, system } from '../../src/core/lib/system.ts';

/** A system whose clock advances by each wait, which ends at once. Deadlines are those of the real one. */
export function hurried(): System & { readonly waitedMs: () => number } {
  let aheadMs = 0;
  const clock = {
    now: () => system.clock.now() + aheadMs,
    monotonic: () => system.clock.monotonic() + aheadMs,
  };
  const sleep = async (ms: number, signal?: AbortSignal) => {
    signal?.throwIfAborted();
    aheadMs += ms;
    await turn();
  };
  return { ...system, clock, timers: { ...system.timers, sleep }, waitedMs: () => aheadMs };
}

const { timers } = system;

/** A system that gives a Redis that is not there a tenth of a second to become ready, instead of five. */
export const withoutRedis = withTimers({
  after: (ms, callback) => timers.after(ms === 5_000 ? 100 : ms, callback),
});

/** A system with a tenth of the patience for answers that never come. */
export const impatient = withTimers({ deadline: (ms) => timers.deadline(Math.round(ms / 10)) });

function withTimers(others: Partial<System['timers']>): System {
  return { ...system, timers: { ...timers, ...others } };
}
