import { RemoteFailure } from '../lib/failure.ts';

/** The service refused in a way that the interface specifies. */
export interface Refusal<Kind extends string> {
  readonly kind: Kind;
  /** The service's own words: short, without secrets, not escaped; null: none. */
  readonly detail: string | null;
}

/**
 * The refusal that a failure means; rethrows other failures. `kinds`: what each HTTP status means for the operation.
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
 * The refusal of a write to an account. A value that has to be unique and belongs to another account is `taken`, by the
 * word of RFC 7644 3.12, because servers use different statuses for it. Rethrows other failures.
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
