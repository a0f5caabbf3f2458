import { RemoteFailure } from '../lib/failure.ts';
import { type Refusal, refusalOf } from './refusal.ts';

/**
 * The refusal of a write to an account. Somebody else has what may not be had twice: `taken`, by the
 * word of RFC 7644 3.12, since servers differ in the status that comes with it. Any failure that is
 * none is thrown again.
 */
export function userRefusalOf<Kind extends string>(
  error: unknown,
  kinds: Readonly<Record<number, Kind>>,
): Refusal<Kind | 'taken'> {
  const isRefused = error instanceof RemoteFailure && error.class === 'refused';
  if (isRefused && error.reason?.toLowerCase() === 'uniqueness') {
    return { kind: 'taken', detail: error.detail ?? null };
  }
  return refusalOf(error, kinds);
}
