import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { ReasonRule } from '../config/config.ts';
import { input, modal, showError, textInput } from '../slack/modal-blocks.ts';
import type { Action } from './approval.ts';
import type { ButtonPress } from './cast-ballot.ts';

/** Callback and input of the modal that asks for a reason. */
export const REASON_MODAL = 'approvals.reason';
const INPUT = 'approvals.reason.text';
export const REASON_MAX = 1_000;

/** What the button knows already: it opens the modal before anything is looked up. */
export type AskedReason = Exclude<ReasonRule, 'none'>;

const carried = z.strictObject({
  action: z.enum(['approve', 'reject']),
  record: z.string(),
  channel: z.string(),
  message: z.string(),
  responseUrl: z.string().nullable(),
});

/** Asks why. Closing it is never a decision. `press` travels with it: its response URL is sealed. */
export function reasonModal(
  action: Action,
  rule: AskedReason,
  press: Pick<ButtonPress, 'record' | 'channel' | 'message' | 'responseUrl'>,
): ModalView {
  const word = action === 'approve' ? 'Approve' : 'Reject';
  const { record, channel, message, responseUrl } = press;
  const metadata: z.infer<typeof carried> = { action, record, channel, message, responseUrl };
  return modal({
    callbackId: REASON_MODAL,
    title: `${word} this request`,
    submit: word,
    close: 'Cancel',
    metadata: JSON.stringify(metadata),
    blocks: [
      input(
        INPUT,
        'Reason',
        textInput(INPUT, { multiline: true, max_length: REASON_MAX, focus_on_load: true }),
        {
          optional: rule === 'optional',
          hint: 'It is shown in the channel and told to whoever asked.',
        },
      ),
    ],
  });
}

const submitted = z.looseObject({
  private_metadata: z.string(),
  state: z.looseObject({
    values: z.record(
      z.string(),
      z.record(z.string(), z.looseObject({ value: z.string().nullish() })),
    ),
  }),
});

/** Reads a submitted modal; `reason` is null when none was given. */
export function readReason(
  view: unknown,
): z.infer<typeof carried> & { readonly reason: string | null } {
  const { private_metadata, state } = submitted.parse(view);
  const reason = state.values[INPUT]?.[INPUT]?.value?.trim() ?? '';
  const press = carried.parse(JSON.parse(private_metadata));
  return { ...press, reason: reason === '' ? null : reason };
}

/** Keeps the modal open, with what was typed, and says a sentence at its input. */
export function atReason(sentence: string) {
  return showError(INPUT, sentence);
}
