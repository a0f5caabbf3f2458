import { z } from 'zod';

/** What a modal carries: the draft that it shows, or begins with. */
const carried = z.strictObject({ draft: z.string() });

export function metadataOf(draftId: string): string {
  return JSON.stringify({ draft: draftId } satisfies z.infer<typeof carried>);
}

/** The draft's id; undefined for a modal without one. */
export function draftIdIn(metadata: string): string | undefined {
  return metadata === '' ? undefined : carried.parse(JSON.parse(metadata)).draft;
}
