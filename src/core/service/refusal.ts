import { RemoteFailure } from '../lib/failure.ts';

/** The service answered that it will not, in a way that the interface names. */
export interface Refusal<Kind extends string> {
  readonly kind: Kind;
  /** The service's own words: short, without secrets, not escaped; null: none. */
  readonly detail: string | null;
}

/**
 * The refusal that a failure stands for; any other failure is thrown again. `kinds`: what each HTTP
 * status means to the operation.
 */
export function refusalOf<Kind extends string>(
  error: unknown,
  kinds: Readonly<Record<number, Kind>>,
): Refusal<Kind> {
  if (!(error instanceof RemoteFailure)) throw error;
  const kind = error.status === undefined ? undefined : kinds[error.status];
  if (kind === undefined) throw error;
  return { kind, detail: error.detail ?? null };
}

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
