import type { KnownBlock, ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import type { MonotonicClock } from '../../core/lib/clock.ts';
import { foldTyped } from '../../core/lib/fold-typed.ts';
import type { UsersClient } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserBatch, UserFilter } from '../../core/service/user-pages.ts';
import { actions, button, context, section } from '../../core/slack/blocks.ts';
import { defineForm } from '../../core/slack/form.ts';
import { input, textInput } from '../../core/slack/modal-blocks.ts';
import { inertText } from '../../core/slack/text.ts';
import { accountNamed } from './account.ts';
import { ACTIONS, accountLines, listButton, openButton, quoted, TITLES } from './account-modal.ts';
import { type Asking, asAdministrator } from './administrator.ts';
import {
  BEGINNING,
  type Browse,
  browseSchema,
  pageAfter,
  pageBefore,
  startOf,
  TEXT_MAX,
} from './browse.ts';
import { IGNORES_FILTER, IGNORES_PAGING } from './trouble.ts';

/** A page of all accounts, or of those that match. */
export function showAccounts(core: Core, who: Asking, browse: Browse): Promise<ModalView> {
  return asAdministrator(core, who, browse, (users) => accountsView(core, users, browse));
}

/** The same, for a known administrator. Throws RemoteFailure. */
export async function accountsView(
  { clock }: Core,
  users: UsersClient,
  browse: Browse,
): Promise<ModalView> {
  const { text } = browse;
  if (text === null) return pageView(await readPage(users, browse), browse);
  return searchView(await searchAccounts(users, clock, text), text, browse);
}

export const FIND = 'people.find';
export const FIND_FORM = defineForm({
  id: 'people.find-form',
  title: TITLES.list,
  carried: browseSchema,
});

/** A page of all accounts. */
export function pageView(page: AccountPage, browse: Browse): ModalView {
  const { users, next, ignoresPaging } = page;
  const [first] = users;
  const before = pageBefore(browse);
  const slots = [
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
    slots: [...slots, newButton()],
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
  const found = `${counted(users.length)} for "${inertText(text)}"`;
  return listView(browse, users, {
    head: users.length === 0 ? noneFound(text) : found,
    slots: [listButton('All accounts', BEGINNING), newButton()],
    notes,
  });
}

interface Around {
  readonly head: string;
  readonly slots: readonly ReturnType<typeof listButton>[];
  readonly notes: readonly string[];
}

function listView(
  browse: Browse,
  users: readonly UserProfile[],
  { head, slots, notes }: Around,
): ModalView {
  const typed = browse.text === null ? {} : { initial_value: browse.text };
  const search = textInput(FIND, { max_length: TEXT_MAX, hint: 'ana@example.com', ...typed });
  return FIND_FORM.view(browse, {
    submit: 'Find',
    close: 'Close',
    blocks: [
      input(FIND, 'Name or e-mail address', search, { optional: true }),
      section(head),
      ...users.map((user, index) => row(user, index)),
      ...(slots.length > 0 ? [actions('people.turn', slots)] : []),
      ...(notes.length > 0 ? [context(...notes)] : []),
    ],
  });
}

function newButton() {
  return button(ACTIONS.create, 'New account', 'form');
}

/** Without a button if the account's name is too long for one. */
function row(user: UserProfile, index: number): KnownBlock {
  const lines = { ...section(accountLines(user)), block_id: `people.row.${index + 1}` };
  const accessory = openButton(accountNamed(user), 'Open');
  return accessory === undefined ? lines : { ...lines, accessory };
}

/** "Accounts 11 to 20 of 34" */
function rangeText({ users, total }: AccountPage, start: number): string {
  if (users.length === 0) return NO_MORE;
  const end = start + users.length - 1;
  const range = start === end ? `Account ${start}` : `Accounts ${start} to ${end}`;
  return total === null || total < end ? range : `${range} of ${total}`;
}

function counted(count: number): string {
  return count === 1 ? '1 account' : `${count} accounts`;
}

function idOf(user: UserProfile | undefined): string | null {
  return user === undefined || user.id.length > 200 ? null : user.id;
}

const PAGE_SIZE = 10;

/** One page of all accounts. */
interface AccountPage {
  readonly users: readonly UserProfile[];
  /** The start of the next page; null: this is the last one. */
  readonly next: number | null;
  /** The total, according to the service; null: it does not say. */
  readonly total: number | null;
  /** The service returns the same accounts for every page, so others can never be seen. */
  readonly ignoresPaging: boolean;
}

/** Reads only this page of the list (Interface 4.5). Throws RemoteFailure. */
async function readPage(users: UsersClient, browse: Browse): Promise<AccountPage> {
  const startIndex = startOf(browse);
  const asked = { filter: null, startIndex, count: PAGE_SIZE };
  for await (const batch of users.pages(asked)) return pageOf(batch, browse, startIndex);
  return { users: [], next: null, total: null, ignoresPaging: false };
}

function pageOf(batch: UserBatch, { before }: Browse, start: number): AccountPage {
  const { users, nextIndex } = batch;
  const isAgain = before !== null && users.some(({ id }) => id === before);
  if (batch.ignoresPaging || isAgain) return cutOut(batch, start);
  const total = totalOf(batch, nextIndex - start);
  const isMore = users.length > 0 && (total === null || nextIndex <= total);
  return { users, next: isMore ? nextIndex : null, total, ignoresPaging: false };
}

/** null also if it may be the page's count, which some servers return as the total. */
function totalOf({ totalResults }: UserBatch, rowCount: number): number | null {
  return totalResults === rowCount && rowCount === PAGE_SIZE ? null : totalResults;
}

/** The page, out of everything the service returned. */
function cutOut({ users, totalResults: total }: UserBatch, start: number): AccountPage {
  const end = start - 1 + PAGE_SIZE;
  const next = end < users.length ? end + 1 : null;
  return { users: users.slice(start - 1, end), next, total, ignoresPaging: true };
}

/** The matching accounts, and what was not searched. */
interface Search {
  readonly users: readonly UserProfile[];
  /** There are more matches. */
  readonly isMore: boolean;
  /** There were too many accounts to search all of them. */
  readonly isCutShort: boolean;
  readonly ignoresFilter: boolean;
  readonly ignoresPaging: boolean;
}

const RESULTS_MAX = 20;
const PAGES_MAX = 20;
const SEARCH_MS = 10_000;

/**
 * Accounts whose address or name contains the text, ignoring case. A whole address is searched for as such first,
 * because every service supports that. If the typed text matches nothing, it is folded. Throws RemoteFailure.
 */
async function searchAccounts(
  users: UsersClient,
  clock: MonotonicClock,
  text: string,
): Promise<Search> {
  const found = await searchText(users, clock, text);
  const folded = foldTyped(text);
  return found.users.length > 0 || folded === text ? found : searchText(users, clock, folded);
}

async function searchText(
  users: UsersClient,
  clock: MonotonicClock,
  text: string,
): Promise<Search> {
  const isAddress = text.includes('@');
  if (isAddress) {
    const match = await users.find('userName', text);
    if (match.kind === 'found') return { ...NOTHING, users: [match.user] };
  }
  const attributes = isAddress ? (['userName'] as const) : (['displayName', 'userName'] as const);
  const endsAt = clock.monotonic() + SEARCH_MS;
  const searches = await Promise.all(
    attributes.map((attribute) =>
      search(users, clock, { attribute, operator: 'co', value: text }, endsAt),
    ),
  );
  return searches.reduce(together, NOTHING);
}

const NOTHING: Search = {
  users: [],
  isMore: false,
  isCutShort: false,
  ignoresFilter: false,
  ignoresPaging: false,
};

async function search(
  users: UsersClient,
  clock: MonotonicClock,
  filter: UserFilter,
  endsAt: number,
): Promise<Search> {
  let found = NOTHING;
  let pageCount = 0;
  for await (const batch of users.pages({ filter })) {
    const { ignoresFilter, ignoresPaging, totalResults, nextIndex } = batch;
    found = together(found, { ...NOTHING, users: batch.users, ignoresFilter, ignoresPaging });
    pageCount += 1;
    if (found.isMore) break;
    // A filtered answer without a total is assumed to be complete.
    if (!ignoresFilter && (totalResults ?? 0) < nextIndex) break;
    if (pageCount === PAGES_MAX || clock.monotonic() > endsAt) {
      return { ...found, isCutShort: true };
    }
  }
  return found;
}

function together(one: Search, other: Search): Search {
  const byId = new Map([...one.users, ...other.users].map((user) => [user.id, user]));
  return {
    users: [...byId.values()].slice(0, RESULTS_MAX),
    isMore: one.isMore || other.isMore || byId.size > RESULTS_MAX,
    isCutShort: one.isCutShort || other.isCutShort,
    ignoresFilter: one.ignoresFilter || other.ignoresFilter,
    ignoresPaging: one.ignoresPaging || other.ignoresPaging,
  };
}

const NO_MORE = 'There are no more accounts.';
const CUT_SHORT =
  'There are too many accounts to check all of them. Search for a whole e-mail address.';
const MORE_MATCH = 'More accounts match. Enter more of the name or address.';

function noneFound(text: string): string {
  return `No account has ${quoted(text)} in its name or e-mail address.`;
}
