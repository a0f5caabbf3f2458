import { LEASE_MS, PATIENT_CLAIMS, retryInMs } from './store.ts';

/** From this many claims on, the wait no longer grows (see `retryInMs`). */
const CLAIMS_OF_LONGEST_WAIT = PATIENT_CLAIMS + 6;

/**
 * How long after it was leased a record is leased again if its holder stays silent, in ms: `retryInMs`, for leases that
 * may be shorter than usual.
 */
export function silentRetryMs(claims: number, leaseMs: number): number {
  const retryMs = retryInMs(claims);
  return retryMs === LEASE_MS ? leaseMs : retryMs;
}

/** `silentRetryMs` for `PATIENT_CLAIMS`, one more and so on; the last one applies to all above. */
export function laterRetriesMs(): readonly number[] {
  const count = CLAIMS_OF_LONGEST_WAIT - PATIENT_CLAIMS + 1;
  return Array.from({ length: count }, (_, i) => retryInMs(PATIENT_CLAIMS + i));
}
