import type { Found, FoundRequest } from './look-through.ts';

/**
 * Open requests in the order of their deadlines. The store lists them by age: as many as are looked through at once are
 * sorted, and their pages follow each other by the place of the last one shown, whatever is decided in between.
 */

interface Page {
  /** The store's cursor that the requests are looked through from; undefined: the first. */
  readonly from: string | undefined;
  /** The place of the last one that was shown; '': none. */
  readonly after: string;
}

const BESIDE = '~';

/** A page by its cursor; one of an earlier version is the store's. */
export function pageOf(cursor: string | undefined): Page {
  const [from = '', after = ''] = cursor?.split(BESIDE) ?? [];
  return { from: from === '' ? undefined : from, after };
}

/** Up to `most` of them, those without a deadline last, oldest first. */
export function soonestFirst(found: Found, { from = '', after }: Page, most: number): Found {
  const sorted = found.requests.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const left = sorted.filter((request) => placeOf(request) > after);
  const requests = left.slice(0, most);
  const last = requests.at(-1);
  if (last === undefined || left.length === requests.length) return { ...found, requests };
  const next = `${from}${BESIDE}${placeOf(last)}`;
  return { ...found, requests, next, isMoreCertain: true };
}

/** Sorts as text. */
function placeOf({ id, approval: { expiresAt, createdAt } }: FoundRequest): string {
  return `${sortable(expiresAt ?? Number.MAX_SAFE_INTEGER)}.${sortable(createdAt)}.${id}`;
}

/** Of one length, up to the largest number there is. */
function sortable(at: number): string {
  return Math.max(0, Math.floor(at)).toString(36).padStart(11, '0');
}
