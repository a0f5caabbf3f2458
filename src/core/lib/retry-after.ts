const DEFAULT_CAP_MS = 60_000;
const SECONDS = /^\d+(\.\d+)?$/;
/** All three forms of RFC 9110 5.6.7 begin with the day's name; `Date.parse` alone takes much more. */
const HTTP_DATE = /^[A-Za-z]{3,9},? /;

/**
 * Reads a `Retry-After` header: seconds or an HTTP date, seen from `now` (ms since the epoch).
 * Answers milliseconds between 0 and `capMs`, undefined when the header is absent or says neither.
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
