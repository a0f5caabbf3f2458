import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Delays, passed in; the page and Socket Mode use their own. */
export interface Timers {
  /** Does not keep the process running. Rejects if the signal aborts first. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since an arbitrary start. */
  readonly monotonic: () => number;
}

export const systemTimers: Timers = {
  pause: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
  monotonic: () => performance.now(),
};
