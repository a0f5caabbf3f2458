import type { ModalView } from '@slack/types';
import { RemoteFailure } from '../lib/failure.ts';
import type { ButtonPress } from './cast-ballot.ts';
import type { ClickTrouble } from './sentences.ts';

export interface AskReasonNeeds {
  /** Throws RemoteFailure. */
  readonly openModal: (triggerId: string, view: ModalView) => Promise<unknown>;
  /** Answers a press that never came as far as its record. */
  readonly answerTrouble: (kind: ClickTrouble, press: ButtonPress) => Promise<void>;
  readonly onClick: (result: string) => void;
}

/** Opens the modal that asks for a reason. Who may not see it is told to press again. */
export async function askReason(
  needs: AskReasonNeeds,
  press: ButtonPress,
  modal: ModalView,
): Promise<void> {
  try {
    await needs.openModal(press.trigger, modal);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // Slack delivered it twice: the other one has opened it.
    if (error.code === 'exchanged_trigger_id') return;
    needs.onClick('not-opened');
    await needs.answerTrouble('not-opened', press);
  }
}
