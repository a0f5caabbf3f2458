import { setTimeout as sleep } from 'node:timers/promises';

/** Timers, passed in. */
export interface Timers {
  /** Calls back after `ms`. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  /** Rejects if `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts after `ms` (whole) with a `TimeoutError`. Does not keep the process running. */
  deadline(ms: number): AbortSignal;
}

export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) => sleep(ms, undefined, signal && { signal }),
  deadline: (ms) => AbortSignal.timeout(ms),
};
