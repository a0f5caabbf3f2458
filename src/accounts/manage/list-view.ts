import type { KnownBlock, ModalView } from '@slack/types';
import type { UserProfile } from '../../service/service-user.ts';
import { actions, button, context, section } from '../../slack/blocks.ts';
import { input, modal, textInput } from '../../slack/modal-blocks.ts';
import { escapeMrkdwn } from '../../slack/text.ts';
import { accountNamed } from '../change/account-named.ts';
import { IGNORES_FILTER, IGNORES_PAGING } from '../trouble.ts';
import { accountLines } from './account-text.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import {
  BEGINNING,
  type Browse,
  pageAfter,
  pageBefore,
  startOf,
  TEXT_MAX,
  writeBrowse,
} from './browse.ts';
import { listButton } from './notice-view.ts';
import { openButton } from './open-button.ts';
import type { AccountPage } from './read-page.ts';
import type { Search } from './search-accounts.ts';
import { CUT_SHORT, MORE_MATCH, NO_MORE, noneFound } from './sentences.ts';

export const FIND = 'people.find';

/** A page of all accounts. */
export function pageView(page: AccountPage, browse: Browse): ModalView {
  const { users, next, ignoresPaging } = page;
  const [first] = users;
  const before = pageBefore(browse);
  const turns = [
    ...(before ? [listButton('Previous page', before)] : []),
    ...(next === null
      ? []
      : [
          {
            ...listButton('Next page', pageAfter(browse, next, idOf(first))),
            action_id: ACTIONS.next,
          },
        ]),
  ];
  return listView(browse, users, {
    head: rangeText(page, startOf(browse)),
    turns: [...turns, newButton()],
    notes: ignoresPaging ? [IGNORES_PAGING] : [],
  });
}

/** The accounts that match. */
export function searchView(search: Search, text: string, browse: Browse): ModalView {
  const { users, isMore, isCutShort, ignoresFilter, ignoresPaging } = search;
  const notes = [
    isMore && MORE_MATCH,
    isCutShort && CUT_SHORT,
    ignoresFilter && !isCutShort && IGNORES_FILTER,
    ignoresPaging && IGNORES_PAGING,
  ].filter((note) => note !== false);
  const found = `${counted(users.length)} for “${escapeMrkdwn(text)}”`;
  return listView(browse, users, {
    head: users.length === 0 ? noneFound(text) : found,
    turns: [listButton('All accounts', BEGINNING), newButton()],
    notes,
  });
}

interface Around {
  readonly head: string;
  readonly turns: readonly ReturnType<typeof listButton>[];
  readonly notes: readonly string[];
}

function listView(
  browse: Browse,
  users: readonly UserProfile[],
  { head, turns, notes }: Around,
): ModalView {
  const typed = browse.text === null ? {} : { initial_value: browse.text };
  const search = textInput(FIND, { max_length: TEXT_MAX, hint: 'ana@example.com', ...typed });
  return modal({
    callbackId: FORMS.find,
    title: TITLE,
    submit: 'Find',
    close: 'Close',
    metadata: writeBrowse(browse),
    blocks: [
      input(FIND, 'Name or e-mail address', search, { optional: true }),
      section(head),
      ...users.map((user, index) => row(user, index)),
      ...(turns.length > 0 ? [actions('people.turn', turns)] : []),
      ...(notes.length > 0 ? [context(...notes)] : []),
    ],
  });
}

function newButton() {
  return button(ACTIONS.create, 'New account', 'form');
}

/** Without a button where none can name it. */
function row(user: UserProfile, index: number): KnownBlock {
  const lines = { ...section(accountLines(user)), block_id: `people.row.${index + 1}` };
  const accessory = openButton(accountNamed(user), 'Open');
  return accessory === undefined ? lines : { ...lines, accessory };
}

/** "Accounts 11 to 20 of 34" */
function rangeText({ users, total }: AccountPage, start: number): string {
  if (users.length === 0) return NO_MORE;
  const range = `Accounts ${start} to ${start + users.length - 1}`;
  return total === null ? range : `${range} of ${total}`;
}

function counted(count: number): string {
  return count === 1 ? '1 account' : `${count} accounts`;
}

function idOf(user: UserProfile | undefined): string | null {
  return user === undefined || user.id.length > 200 ? null : user.id;
}
