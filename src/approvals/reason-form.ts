import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';
import { input, modal, showError, textInput } from '../slack/modal-blocks.ts';
import type { Action } from './approval.ts';
import { answerTrouble, type ButtonPress, type TroubleDependencies } from './cast-ballot.ts';
import type { AskedReason } from './message/message.ts';

/** Callback and input of the modal that asks for a reason. */
export const REASON_MODAL = 'approvals.reason';
const INPUT = 'approvals.reason.text';
const REASON_MAX = 1_000;

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

export interface AskReasonDependencies extends TroubleDependencies {
  /** Throws RemoteFailure. */
  readonly openModal: (triggerId: string, view: ModalView) => Promise<unknown>;
  readonly onClick: (result: string) => void;
}

/** Opens the modal that asks for a reason. Who may not see it is told to press again. */
export async function askReason(
  dependencies: AskReasonDependencies,
  press: ButtonPress,
  modal: ModalView,
): Promise<void> {
  try {
    await dependencies.openModal(press.trigger, modal);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Slack delivered it twice: the other one has opened it.
    if (error.code === 'exchanged_trigger_id') return;
    dependencies.onClick('not-opened');
    await answerTrouble(dependencies, 'not-opened', press);
  }
}
