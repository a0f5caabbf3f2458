import type { Button, ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { actions, button, confirm, context, fields, section } from '../../core/slack/blocks.ts';
import { modal } from '../../core/slack/modal-blocks.ts';
import { bold, cutPlain } from '../../core/slack/text.ts';
import { notRecorded } from '../flow/store-away.ts';
import {
  type AccountNamed,
  ATTRIBUTES,
  accountName,
  accountNamed,
  findAccount,
  readAccount,
  TEXT_ATTRIBUTES,
  writeAccount,
} from './account.ts';
import {
  ACTIONS,
  BACK_TO_LIST,
  goneView,
  listButton,
  shown,
  stateOf,
  TITLES,
  troubleView,
} from './account-modal.ts';
import { type Asking, asAdministrator } from './administrator.ts';
import { BEGINNING, type Browse, searchFor, writeBrowse } from './browse.ts';
import { askForChange } from './change-operation.ts';
import { accountsView } from './list.ts';
import { ownsAccount } from './protection.ts';

/** An account's details, as they are now. `browse`: where the person came from. */
export function showAccount(
  core: Core,
  who: Asking,
  account: AccountNamed | undefined,
  browse: Browse,
): Promise<ModalView> {
  return showOne(core, who, { account, browse }, (user) => cardOf(core, who, user, browse));
}

/** The details of the account with this address or id; otherwise the accounts that match. */
export function showNamed(core: Core, who: Asking, text: string): Promise<ModalView> {
  return asAdministrator(core, who, BEGINNING, async (users) => {
    const browse = searchFor(text);
    const match = await findAccount(users, text);
    if (match.kind === 'found') return cardOf(core, who, match.user, browse);
    return accountsView(core, users, browse);
  });
}

async function cardOf(core: Core, who: Asking, user: UserProfile, browse: Browse) {
  const signal = core.timers.deadline(core.timing.stepMs);
  const isOwn = await ownsAccount(core, accountNamed(user), who.user, signal);
  return cardView(user, browse, { isOwn });
}

/** The view of one account, as it is now. */
export function showOne(
  core: Core,
  who: Asking,
  { account, browse }: { readonly account: AccountNamed | undefined; readonly browse: Browse },
  view: (user: UserProfile) => ModalView | Promise<ModalView>,
): Promise<ModalView> {
  return asAdministrator(core, who, browse, async (users) => {
    const user = account && (await readAccount(users, account));
    return user ? view(user) : goneView(browse);
  });
}

/** The longest text for which a form has room, in addition to everything else it carries. */
const VALUE_MAX = 1_500;

interface CardOptions {
  /** It is the viewer's own account. */
  readonly isOwn: boolean;
}

/** Everything about one account, with its buttons. */
export function cardView(user: UserProfile, browse: Browse, { isOwn }: CardOptions): ModalView {
  return modal({
    callbackId: 'people.card',
    title: TITLES.card,
    close: 'Close',
    metadata: writeBrowse(browse),
    blocks: [
      section(`${bold(shown(accountName(user)))}\n${stateOf(user)}`),
      fields([
        fieldText('E-mail (userName)', user.userName),
        ...TEXT_ATTRIBUTES.map((name) => fieldText(ATTRIBUTES[name].name, user[name])),
        fieldText('Id', user.id),
      ]),
      actions('people.card', [...buttonsFor(user, isOwn), listButton(BACK_TO_LIST, browse)]),
      ...(isOwn ? [context(user.active === false ? OWN_DEACTIVATED : OWN)] : []),
    ],
  });
}

const OWN = 'This is your own account. Another administrator can deactivate it.';
const OWN_DEACTIVATED =
  'This is your own account. Another administrator can re-activate it, or it can be re-activated in the service itself.';

function buttonsFor(user: UserProfile, isOwn: boolean): readonly Button[] {
  const value = writeAccount(accountNamed(user));
  if (value.length > VALUE_MAX) return [];
  const name = cutPlain(cleanLine(accountName(user)), 80)[0];
  return [
    button(ACTIONS.edit, 'Edit', value),
    ...(user.active === true || isOwn ? [] : [activateButton(name, value)]),
    ...(user.active === false || isOwn ? [] : [deactivateButton(name, value)]),
  ];
}

function deactivateButton(name: string, value: string): Button {
  const sure = confirm(
    `Deactivate ${name}?`,
    'Access ends at once. Documents and tasks are kept. You can re-activate the account here.',
    'Deactivate',
    'Cancel',
    'danger',
  );
  return button(ACTIONS.deactivate, 'Deactivate', value, { style: 'danger', confirm: sure });
}

function activateButton(name: string, value: string): Button {
  const sure = confirm(
    `Re-activate ${name}?`,
    'The person can sign in again at once, with the documents and tasks that were kept.',
    'Re-activate',
    'Cancel',
  );
  return button(ACTIONS.activate, 'Re-activate', value, { confirm: sure });
}

function fieldText(name: string, value: string | null): string {
  return `*${name}*\n${value === null ? '–' : shown(value)}`;
}

/** A press on an account's details. */
interface CardPress {
  readonly user: string;
  readonly modal: { readonly id: string; readonly hash: string };
  readonly browse: Browse;
  readonly account: AccountNamed | undefined;
}

interface Pressed {
  /** Why it was not recorded; otherwise the record shows the result. */
  readonly view?: ModalView;
  carryOn(): Promise<void>;
}

/** Records that an account is to be deactivated or reactivated, before the acknowledgement; once for each view. */
export async function pressActive(
  core: Core,
  kind: 'deactivate' | 'activate',
  { user: by, modal: { id: modal, hash }, browse, account }: CardPress,
): Promise<Pressed> {
  if (account === undefined) return { view: goneView(browse), async carryOn() {} };
  const wish = { change: { kind, account }, browse: writeBrowse(browse) };
  const key = `${kind}\0${modal}\0${hash}`;
  try {
    const asked = { by, wish, modal, isShown: false, key, delivery: hash };
    const { carryOn } = await askForChange(core, asked);
    return { carryOn };
  } catch (error) {
    return { view: troubleView(notRecorded(error), browse, BACK_TO_LIST), async carryOn() {} };
  }
}
