import type { Button, ModalView } from '@slack/types';
import { cleanLine } from '../../lib/clean-line.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { actions, button, confirm, fields, section } from '../../slack/blocks.ts';
import { modal } from '../../slack/modal-blocks.ts';
import { bold, cutPlain } from '../../slack/text.ts';
import { accountName } from '../account-name.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES } from '../attributes.ts';
import { accountNamed, writeAccount } from '../change/account-named.ts';
import { shown, stateOf } from './account-text.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import { type Browse, writeBrowse } from './browse.ts';
import { listButton } from './notice-view.ts';

/** What a form about the account has room for, besides everything else that it carries. */
const VALUE_MAX = 1_500;

/** Everything about one account, and what can be done with it. */
export function cardView(user: UserProfile, browse: Browse): ModalView {
  return modal({
    callbackId: FORMS.card,
    title: TITLE,
    close: 'Close',
    metadata: writeBrowse(browse),
    blocks: [
      section(`${bold(shown(accountName(user)))}\n${stateOf(user)}`),
      fields([
        fieldText('E-mail (userName)', user.userName),
        ...TEXT_ATTRIBUTES.map((name) => fieldText(ATTRIBUTES[name].name, user[name])),
        fieldText('Id', user.id),
      ]),
      actions('people.card', [...buttonsFor(user), listButton('Back to the list', browse)]),
    ],
  });
}

function buttonsFor(user: UserProfile): readonly Button[] {
  const value = writeAccount(accountNamed(user));
  if (value.length > VALUE_MAX) return [];
  const name = cutPlain(cleanLine(accountName(user)), 80)[0];
  return [
    button(ACTIONS.edit, 'Edit', value),
    ...(user.active === true ? [] : [activateButton(name, value)]),
    ...(user.active === false ? [] : [deactivateButton(name, value)]),
  ];
}

function deactivateButton(name: string, value: string): Button {
  const sure = confirm(
    `Deactivate ${name}?`,
    'Access ends at once. Documents and tasks stay. The account can be re-activated here.',
    'Deactivate',
    'Keep it',
    'danger',
  );
  return button(ACTIONS.deactivate, 'Deactivate', value, { style: 'danger', confirm: sure });
}

function activateButton(name: string, value: string): Button {
  const sure = confirm(
    `Re-activate ${name}?`,
    'The person can sign in again at once, with the documents and tasks that were kept.',
    'Re-activate',
    'Not now',
  );
  return button(ACTIONS.activate, 'Re-activate', value, { confirm: sure });
}

function fieldText(name: string, value: string | null): string {
  return `*${name}*\n${value === null ? '–' : shown(value)}`;
}
