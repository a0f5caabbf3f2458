import type { ModalView } from '@slack/types';
import * as z from 'zod';
import { type ModalParts, modal } from './modal-blocks.ts';

/** A modal as Slack sends it with an interaction. */
export const submittedModal = z.looseObject({
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
          selected_options: z.array(z.looseObject({ value: z.string() })).nullish(),
        }),
      ),
    ),
  }),
});

/** A modal that came back, with what was entered. */
export interface Form {
  readonly id: string;
  readonly hash: string;
  readonly callback: string;
  readonly metadata: string;
  /** By block id, in the modal's order. */
  readonly values: ReadonlyMap<string, string>;
}

/** Parses a modal that Slack sent; each block has one input. */
export function readForm(value: unknown): Form {
  const { id, hash, callback_id, private_metadata, state } = submittedModal.parse(value);
  const values = new Map<string, string>();
  for (const [block, elements] of Object.entries(state.values)) {
    for (const { value, selected_option, selected_options } of Object.values(elements)) {
      const entered = selected_option?.value ?? selected_options?.[0]?.value ?? value;
      if (entered !== null && entered !== undefined) values.set(block, entered);
    }
  }
  return { id, hash, callback: callback_id, metadata: private_metadata, values };
}

/** A form: its id, its modal, and the data that the modal carries. */
export interface FormOf<Carried> {
  /** Slack's `callback_id`. */
  readonly id: string;
  /** The modal. `carried` has to fit into METADATA_MAX characters of JSON. */
  view(carried: Carried, parts: FormParts): ModalView;
  /** Throws ZodError if the modal carries something else. */
  carriedIn(form: Pick<Form, 'metadata'>): Carried;
}

interface FormParts extends Pick<ModalParts, 'submit' | 'blocks'> {
  /** Default: Cancel. */
  readonly close?: string;
}

export function defineForm<Carried>({
  id,
  title,
  carried,
}: {
  readonly id: string;
  readonly title: string | ((carry: Carried) => string);
  readonly carried: z.ZodType<Carried>;
}): FormOf<Carried> {
  return {
    id,
    view: (carry, { close = 'Cancel', ...parts }) =>
      modal({
        callbackId: id,
        title: typeof title === 'string' ? title : title(carry),
        close,
        metadata: JSON.stringify(carry),
        ...parts,
      }),
    carriedIn: ({ metadata }) => carried.parse(JSON.parse(metadata)),
  };
}
