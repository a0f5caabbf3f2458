import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';

/** Timers, passed in. */
export interface Timers {
  /** Calls back after `ms`. Returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void;
  /**
   * Rejects if `signal` aborts first. 0: for one turn of the event loop, in which signals and sockets are handled; timers
   * that are due can run one after another without one.
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Aborts after `ms` (whole) with a `TimeoutError`. Does not keep the process running. */
  deadline(ms: number): AbortSignal;
}

export const systemTimers: Timers = {
  after(ms, callback) {
    const timer = setTimeout(callback, ms);
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) =>
    ms === 0 ? turn(undefined, signal && { signal }) : sleep(ms, undefined, signal && { signal }),
  deadline: (ms) => AbortSignal.timeout(ms),
};
