import type { ModalView } from '@slack/types';
import type { UserProfile } from '../../service/service-user.ts';
import { actions, fields, section } from '../../slack/blocks.ts';
import { modal } from '../../slack/modal-blocks.ts';
import { bold } from '../../slack/text.ts';
import { accountName } from '../accounts/account-name.ts';
import { ATTRIBUTES, TEXT_ATTRIBUTES } from '../accounts/attributes.ts';
import { shown, stateOf } from './account-text.ts';
import { FORMS, TITLE } from './actions.ts';
import { type Browse, writeBrowse } from './browse.ts';
import { listButton } from './notice-view.ts';

/** Everything about one account. */
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
      actions('people.card', [listButton('Back to the list', browse)]),
    ],
  });
}

function fieldText(name: string, value: string | null): string {
  return `*${name}*\n${value === null ? '–' : shown(value)}`;
}
