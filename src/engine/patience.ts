import { TRUE_TIME } from '../lib/timing.ts';

/** See `Timing`. For what does not take its timing as an argument. */
export const { retryMs: RETRY_MS, defaultRetryAfterMs: DEFAULT_RETRY_AFTER_MS } = TRUE_TIME;

/** For what is tried for ever: doubles from `first` up to `most`. */
export function patientWaitMs(tries: number, first: number, most: number): number {
  return Math.min(first * 2 ** Math.min(tries, 20), most);
}
