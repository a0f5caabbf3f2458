import { type FailureFacts, isRefused } from '../lib/failure.ts';
import type { Timing } from '../lib/timing.ts';

/** Waits for something that is retried until it succeeds: each `factor` times as long, from `first` up to `most`. */
export function patientWaitMs(tries: number, first: number, most: number, factor = 2): number {
  return Math.min(first * factor ** Math.min(tries, 20), most);
}

/**
 * The failed tries, including this one, and when to try again. A 429 sets its own wait and does not count as a failed
 * try; a refused call waits longer, for somebody to fix it (an invitation, a scope).
 */
export function tryAgain(
  triedBefore: number | undefined,
  failure: FailureFacts,
  { retryMs, defaultRetryAfterMs }: Timing,
  now: number,
): { readonly tries: number; readonly notBefore: number } {
  const isLimited = failure.status === 429;
  const tries = (triedBefore ?? 0) + (isLimited ? 0 : 1);
  if (isRefused(failure)) {
    return { tries, notBefore: now + patientWaitMs(tries - 1, 60_000, 15 * 60_000) };
  }
  const waitMs = isLimited ? defaultRetryAfterMs : patientWaitMs(tries - 1, retryMs[0], 60_000);
  return { tries, notBefore: now + (failure.retryAfterMs ?? waitMs) };
}
