import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waiting as an argument, but for the page and Socket Mode. */
export interface Timers {
  /** Keeps no process running. Rejects when the signal aborts first. */
  readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since some start. */
  readonly monotonic: () => number;
}

export const systemTimers: Timers = {
  pause: (ms, signal) => sleep(ms, undefined, { signal, ref: false }),
  monotonic: () => performance.now(),
};
