import { z } from 'zod';

/** What of the accounts somebody looks at. */
export const browseSchema = z.strictObject({
  /** What they look for; null: all accounts, page by page. */
  text: z.string().nullable(),
  /** Where each page up to this one begins, but for the first. */
  trail: z.array(z.int().positive()),
  /** The id of the first account of the page before: a service that ignores paging shows it again. */
  before: z.string().nullable(),
});
export type Browse = z.infer<typeof browseSchema>;

export const BEGINNING: Browse = { text: null, trail: [], before: null };
export const TEXT_MAX = 200;

/** A button's value takes 2,000 characters. */
const TRAIL_MAX = 100;

export function searchFor(text: string): Browse {
  const wanted = text.trim().slice(0, TEXT_MAX);
  return wanted === '' ? BEGINNING : { ...BEGINNING, text: wanted };
}

/** Counted from 1. */
export function startOf({ trail }: Browse): number {
  return trail.at(-1) ?? 1;
}

/** `firstId`: of the present page. */
export function pageAfter({ trail }: Browse, start: number, firstId: string | null): Browse {
  return { text: null, trail: [...trail, start].slice(-TRAIL_MAX), before: firstId };
}

/** undefined on a first page. */
export function pageBefore({ trail }: Browse): Browse | undefined {
  return trail.length === 0 ? undefined : { ...BEGINNING, trail: trail.slice(0, -1) };
}

/** For a button or a modal: it comes back with the press. */
export function writeBrowse(value: Browse): string {
  return JSON.stringify(value);
}

/** What is none is the beginning: values come back from outside. */
export function readBrowse(text: string): Browse {
  try {
    return browseSchema.catch(BEGINNING).parse(JSON.parse(text));
  } catch {
    return BEGINNING;
  }
}
