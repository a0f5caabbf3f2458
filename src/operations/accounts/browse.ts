import * as z from 'zod';

/** A view of the accounts. */
export const browseSchema = z.strictObject({
  /** The search text; null: all accounts, page by page. */
  text: z.string().nullable(),
  /** The start of this page and those before it, except the first. */
  trail: z.array(z.int().positive()),
  /** The id of the first account on the previous page: a service that ignores paging shows it again. */
  before: z.string().nullable(),
});
export type Browse = z.infer<typeof browseSchema>;

export const BEGINNING: Browse = { text: null, trail: [], before: null };
export const TEXT_MAX = 200;

/** A button's value holds 2,000 characters. */
const TRAIL_MAX = 100;

export function searchFor(text: string): Browse {
  const wanted = text.trim().slice(0, TEXT_MAX);
  return wanted === '' ? BEGINNING : { ...BEGINNING, text: wanted };
}

/** From 1. */
export function startOf({ trail }: Browse): number {
  return trail.at(-1) ?? 1;
}

/** `firstId`: on the current page. */
export function pageAfter({ trail }: Browse, start: number, firstId: string | null): Browse {
  return { text: null, trail: [...trail, start].slice(-TRAIL_MAX), before: firstId };
}

/** undefined on a first page. */
export function pageBefore({ trail }: Browse): Browse | undefined {
  return trail.length === 0 ? undefined : { ...BEGINNING, trail: trail.slice(0, -1) };
}

/** For a button's value or a modal. */
export function writeBrowse(value: Browse): string {
  return JSON.stringify(value);
}

/** Anything invalid is the first page: values come back from outside. */
export function readBrowse(text: string): Browse {
  try {
    return browseSchema.catch(BEGINNING).parse(JSON.parse(text));
  } catch {
    return BEGINNING;
  }
}
