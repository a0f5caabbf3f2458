import { z } from 'zod';

/** A modal as Slack sends it with what somebody does in it. */
export const modal = z.looseObject({
  id: z.string(),
  hash: z.string(),
  callback_id: z.string(),
  private_metadata: z.string(),
  state: z.looseObject({
    values: z.record(
      z.string(),
      z.record(
        z.string(),
        z.looseObject({
          value: z.string().nullish(),
          selected_option: z.looseObject({ value: z.string() }).nullish(),
        }),
      ),
    ),
  }),
});

/** A modal as it came back, with what is entered in it. */
export interface Form {
  readonly id: string;
  readonly hash: string;
  readonly callback: string;
  readonly metadata: string;
  /** By block id, in the modal's order. */
  readonly values: ReadonlyMap<string, string>;
}

/** Reads what Slack sends of a modal; each block has one input. */
export function readForm(value: unknown): Form {
  const { id, hash, callback_id, private_metadata, state } = modal.parse(value);
  const values = new Map<string, string>();
  for (const [block, elements] of Object.entries(state.values)) {
    for (const { value, selected_option } of Object.values(elements)) {
      const entered = selected_option?.value ?? value;
      if (entered !== null && entered !== undefined) values.set(block, entered);
    }
  }
  return { id, hash, callback: callback_id, metadata: private_metadata, values };
}
