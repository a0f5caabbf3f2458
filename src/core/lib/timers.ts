import { setTimeout as sleep } from 'node:timers/promises';

/** Waiting as an argument: the clock tells the time, the timers let it pass. */
export interface Timers {
  /** Calls back in `ms`. What it gives calls that off. */
  after(ms: number, callback: () => void): () => void;
  /** Rejects when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts in `ms` (whole), with a `TimeoutError` as its reason. It keeps no process running. */
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
