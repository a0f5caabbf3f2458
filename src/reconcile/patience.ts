/** Waits between tries of a call that did not reach the other side, in milliseconds. */
export const RETRY_MS = [500, 1_000, 2_000] as const;
/** `Retry-After` was not given with a 429. */
export const DEFAULT_RETRY_AFTER_MS = 2_000;

/** For what is tried for ever: doubles from `first` up to `most`. */
export function patientWaitMs(tries: number, first: number, most: number): number {
  return Math.min(first * 2 ** Math.min(tries, 20), most);
}
