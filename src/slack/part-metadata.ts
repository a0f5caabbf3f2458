import { z } from 'zod';

/** Which part of which record a message is: written into it, so that it can be found again. */
export interface PartMetadata {
  readonly record: string;
  /** `message`, `overflow`, `outcome`, … */
  readonly part: string;
  /** What the message says of an outcome, where it names people: their ids, with commas. */
  readonly status?: string | undefined;
  readonly credit?: string | undefined;
  readonly by?: string | undefined;
}

const EVENT_TYPE = 'gatepost_part';

/** As it is sent with a message. */
export function metadataOf(part: PartMetadata) {
  return { event_type: EVENT_TYPE, event_payload: part };
}

/** As it comes back with a message; anything else has no meaning here. */
export const metadataSchema = z
  .looseObject({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.looseObject({
      record: z.string(),
      part: z.string(),
      status: z.string().optional().catch(undefined),
      credit: z.string().optional().catch(undefined),
      by: z.string().optional().catch(undefined),
    }),
  })
  .optional()
  .catch(undefined);
