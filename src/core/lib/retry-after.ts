const DEFAULT_CAP_MS = 60_000;
const SECONDS = /^\d+(\.\d+)?$/;
/** All three forms of RFC 9110 5.6.7 start with the day's name; `Date.parse` alone accepts much more. */
const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/**
 * Parses a `Retry-After` header: seconds or an HTTP date, relative to `now` (ms since the epoch). Returns milliseconds
 * between 0 and `capMs`; undefined when it is absent or invalid.
 */
export function retryAfterMs(
  header: string | null | undefined,
  now: number,
  capMs = DEFAULT_CAP_MS,
): number | undefined {
  const text = header?.trim() ?? '';
  const waitMs = SECONDS.test(text)
    ? Number(text) * 1000
    : HTTP_DATE.test(text)
      ? Date.parse(text) - now
      : Number.NaN;
  if (Number.isNaN(waitMs)) return undefined;
  return Math.ceil(Math.min(Math.max(waitMs, 0), capMs));
}
