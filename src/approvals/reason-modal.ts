import type { ModalView } from '@slack/types';
import { z } from 'zod';
import type { ReasonRule } from '../config/config.ts';
import { plain } from '../slack/text.ts';
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
  return {
    type: 'modal',
    callback_id: REASON_MODAL,
    title: plain(`${word} this request`),
    submit: plain(word),
    close: plain('Cancel'),
    private_metadata: JSON.stringify(metadata),
    blocks: [
      {
        type: 'input',
        block_id: INPUT,
        optional: rule === 'optional',
        label: plain('Reason'),
        hint: plain('It is shown in the channel and told to whoever asked.'),
        element: {
          type: 'plain_text_input',
          action_id: INPUT,
          multiline: true,
          max_length: REASON_MAX,
          focus_on_load: true,
        },
      },
    ],
  };
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
  return { response_action: 'errors' as const, errors: { [INPUT]: sentence } };
}
