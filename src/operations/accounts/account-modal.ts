import type { Button, ModalView } from '@slack/types';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { clip } from '../../core/lib/clip.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { actions, button } from '../../core/slack/blocks.ts';
import { noticesOf } from '../../core/slack/modal-blocks.ts';
import { bold, inertText } from '../../core/slack/text.ts';
import { type AccountNamed, writeAccount } from './account.ts';
import { type Browse, writeBrowse } from './browse.ts';

/** Ids of all buttons and menus here. */
export const ACTIONS = {
  /** Another page of the list, or the list again. */
  page: 'people.page',
  /** The same, next to a button for the previous page. */
  next: 'people.page.next',
  /** The card of an account. */
  open: 'people.open',
  /** The form to change an account. */
  edit: 'people.edit',
  deactivate: 'people.deactivate',
  activate: 'people.activate',
  /** The form for a new account. */
  create: 'people.create',
  /** The form again, from the preview. */
  change: 'people.change',
  /** A form again, from its result. */
  revise: 'people.revise',
  /** Tries the same again. */
  again: 'people.again',
  /** From a message: opens what a command would. */
  begin: 'people.begin',
} as const;

/** Titles of the modals. */
export const TITLES = {
  list: 'Accounts',
  card: 'Account',
  create: 'Create account',
  edit: 'Edit account',
  deactivate: 'Deactivate account',
  activate: 'Re-activate account',
  delete: 'Deactivate account',
} as const;

/** The callback id of modals without a form. */
export const NOTICE = 'people.notice';
export const noticeView = noticesOf(NOTICE, TITLES.list);
export const LOADING = noticeView('Loading…');

/** A sentence, and a button to the list. */
export function troubleView(text: string, browse: Browse, label = 'Try again'): ModalView {
  return noticeView(text, [actions('people.go-on', [listButton(label, browse)])]);
}

export function listButton(label: string, browse: Browse) {
  return button(ACTIONS.page, label, writeBrowse(browse));
}

/** For an account that no longer exists. */
export function goneView(browse: Browse): ModalView {
  return troubleView(GONE, browse, BACK_TO_LIST);
}

export const BACK_TO_LIST = 'Back to the list';

const VALUE_MAX = 2_000;

/** Opens the account. undefined: its name is too long for a button. */
export function openButton(account: AccountNamed, label = 'Open account'): Button | undefined {
  const value = writeAccount(account);
  return value.length > VALUE_MAX ? undefined : button(ACTIONS.open, label, value);
}

/** One escaped line of other people's text for mrkdwn; four of them fit into a block, however much is escaped. */
export function shown(text: string): string {
  return inertText(clip(cleanLine(text), 140)[0]);
}

export function stateOf({ active }: UserProfile): string {
  if (active === null) return ':grey_question: The service does not say whether it is active';
  return active ? ':large_green_circle: Active' : ':no_entry_sign: Deactivated';
}

/** "*Ana Reyes* · ana@example.com", and its state below. */
export function accountLines(user: UserProfile): string {
  const { displayName, userName, title, department } = user;
  const name = shown(displayName ?? '');
  const address = shown(userName);
  const head = name === '' || name === address ? bold(address) : `${bold(name)} · ${address}`;
  const details = [title, department].flatMap((text) => (text === null ? [] : [shown(text)]));
  return `${head}\n${[stateOf(user), ...details].join(' · ')}`;
}

export const GONE = 'The service does not show this account now. It may have been removed.';
export const NOT_OPENED = 'The accounts could not be shown. Try again.';

export function quoted(text: string): string {
  return `"${inertText(clip(text, 100)[0])}"`;
}
