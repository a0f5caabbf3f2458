import type { Button, ModalView } from '@slack/types';
import { writeAgain } from '../../operations/ask.ts';
import type { SlackMessage } from '../../operations/report.ts';
import { actions, button, section } from '../../slack/blocks.ts';
import { modal } from '../../slack/modal-blocks.ts';
import { ACTIONS, BACK_TO_LIST, FORMS, listButton, openButton, TITLE } from '../account-modal.ts';
import { readBrowse } from '../browse.ts';
import { type AccountChange, isRepeatable, isRevisable } from './account-change.ts';
import type { ChangeFace } from './change-face.ts';
import { resultText } from './outcome-words.ts';

/** The modal while an account is changed, and when that has ended. */
export function resultView(id: string, change: AccountChange, face: ChangeFace): ModalView {
  const buttons = face.state === 'done' ? buttonsOf(id, change) : [];
  return modal({
    callbackId: FORMS.notice,
    title: TITLE,
    close: 'Close',
    metadata: change.browse,
    blocks: [
      section(resultText(change, face)),
      ...(buttons.length > 0 ? [actions('people.result', buttons)] : []),
    ],
  });
}

/** The direct message to a person who closed the modal. */
export function resultMessage(id: string, change: AccountChange, face: ChangeFace): SlackMessage {
  const text = resultText(change, face);
  const buttons = isRepeatable(change) ? [againButton(id, change)] : [];
  return {
    text,
    blocks: [section(text), ...(buttons.length > 0 ? [actions('people.result', buttons)] : [])],
  };
}

function buttonsOf(id: string, change: AccountChange): readonly Button[] {
  const account = accountOf(change);
  const open = account && openButton(account);
  return [
    ...(isRepeatable(change) ? [againButton(id, change)] : []),
    ...(isRevisable(change) ? [button(ACTIONS.revise, 'Change it', id)] : []),
    ...(open ? [open] : []),
    listButton(BACK_TO_LIST, readBrowse(change.browse)),
  ];
}

function againButton(id: string, change: AccountChange): Button {
  return button(ACTIONS.again, 'Try again', writeAgain(id, change.run ?? 0));
}

function accountOf({ wish, outcome }: AccountChange) {
  if (outcome?.code === 'done' && outcome.account !== null) return outcome.account;
  return wish.kind === 'create' ? undefined : wish.account;
}
