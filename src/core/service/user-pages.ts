/** Accounts of the service, page by page, filtered. */

import { RemoteFailure } from '../lib/failure.ts';
import { foldEmail } from '../lib/fold-email.ts';
import { unreadable } from './json-of-exchange.ts';
import { readMember, readScimMember } from './read-member.ts';
import type { Scim } from './scim.ts';
import { type ServiceUser, serviceUserOf, type UserProfile } from './service-user.ts';
import type { CallLimits } from './transport.ts';

const OPERATION = 'list users';
const PAGE_SIZE = 100;

/** One comparison (RFC 7644 3.4.2.2): equal, contains, begins with. */
export interface UserFilter {
  readonly attribute: 'id' | 'userName' | 'externalId' | 'displayName';
  readonly operator: 'eq' | 'co' | 'sw';
  readonly value: string;
}

export interface UsersAsked {
  readonly filter: UserFilter | null;
  /** Where to begin, counted from 1, which is the default. */
  readonly startIndex?: number;
  /** Of one page; default 100. */
  readonly count?: number;
}

/** What one page brought, and what is known of the whole after it. */
export interface UserBatch {
  /** Accounts that match and came on no page before. */
  readonly users: readonly UserProfile[];
  /** Where the next page begins. */
  readonly nextIndex: number;
  /** How many rows there are, as the server says; null: it does not. */
  readonly totalResults: number | null;
  /** The server gave accounts that do not match, or refused the filter: they were matched here. */
  readonly ignoresFilter: boolean;
  /** The server gave more rows than it was asked for, or the same again: it may have accounts that it never shows. */
  readonly ignoresPaging: boolean;
}

/**
 * Reads page after page until the total is reached or one brings no new account, and matches again
 * what the server was asked to filter; where it refuses the filter it reads everything. It has no end
 * where a server makes up accounts: who reads on decides how long. Throws RemoteFailure.
 */
export async function* userPages(
  list: (query: UserQuery) => Promise<UserPage>,
  { filter, startIndex = 1, count = PAGE_SIZE }: UsersAsked,
): AsyncGenerator<UserBatch, void, undefined> {
  const seen = new Set<string>();
  let sent = filter;
  let ignoresFilter = false;
  let ignoresPaging = false;
  let nextIndex = startIndex;
  for (;;) {
    const query = { filter: sent, startIndex: nextIndex, count };
    let page: UserPage;
    try {
      page = await list(query);
    } catch (error) {
      if (sent === null || nextIndex > startIndex || !isFilterRefused(error)) throw error;
      sent = null;
      ignoresFilter = true;
      continue;
    }
    const fresh = new Map(page.users.map((user) => [user.id, user]));
    for (const id of seen) fresh.delete(id);
    for (const id of fresh.keys()) seen.add(id);
    const users = [...fresh.values()].filter((user) => filter === null || isMatch(user, filter));
    nextIndex += page.rowCount;
    ignoresFilter ||= users.length < fresh.size;
    ignoresPaging ||= page.rowCount > (fresh.size === 0 ? 0 : count) || isFirstAgain(page, query);
    const { totalResults } = page;
    yield { users, nextIndex, totalResults, ignoresFilter, ignoresPaging };
    if (fresh.size === 0 || isLast(page, nextIndex, count)) return;
  }
}

/** The total says so. That of a full first page may be of this page alone: some servers count so. */
function isLast({ rowCount, totalResults }: UserPage, nextIndex: number, count: number): boolean {
  const isPerhapsOfPage = totalResults === rowCount && rowCount === count;
  return totalResults === nextIndex - 1 && !isPerhapsOfPage;
}

function isFirstAgain({ startIndex }: UserPage, asked: UserQuery): boolean {
  return startIndex === 1 && asked.startIndex > 1;
}

/** "Cannot filter", in the ways that servers say it; none of them means that nobody matches. */
const FILTER_REFUSED: ReadonlySet<number | undefined> = new Set([400, 404, 422, 501]);

function isFilterRefused(error: unknown): boolean {
  return error instanceof RemoteFailure && FILTER_REFUSED.has(error.status);
}

export interface UserPage {
  /** Rows that could be read. */
  readonly users: readonly UserProfile[];
  /** All rows, for the next page's start. */
  readonly rowCount: number;
  readonly totalResults: number | null;
  /** Where the page begins, as the server says; null: it does not. */
  readonly startIndex: number | null;
}

export interface UserQuery {
  readonly filter: UserFilter | null;
  /** Counts from 1. */
  readonly startIndex: number;
  readonly count: number;
}

/** One page of the synchronized users (Interface 4.5; query names and bodies as in RFC 7644 3.4.2). */
export async function listUsers(
  scim: Scim,
  query: UserQuery,
  limits: CallLimits,
): Promise<UserPage> {
  const path = `?${queryText(query)}`;
  return pageOf(await scim({ operation: OPERATION, method: 'GET', path }, limits));
}

function queryText({ filter, startIndex, count }: UserQuery): string {
  const paging = `startIndex=${startIndex}&count=${count}`;
  return filter === null ? paging : `filter=${encodeURIComponent(filterText(filter))}&${paging}`;
}

/** As it is sent, not encoded yet: `userName eq "ana@example.com"`. */
function filterText({ attribute, operator, value }: UserFilter): string {
  return `${attribute} ${operator} ${JSON.stringify(value)}`;
}

/** `Resources` (which may be left out when nothing was found), a bare array, or either in `data`. */
function pageOf(body: unknown): UserPage {
  const list =
    readScimMember(body, 'Resources') === undefined ? (readMember(body, 'data') ?? body) : body;
  const totalResults = numberOf(list, 'totalResults');
  const rows = Array.isArray(list)
    ? list
    : (readScimMember(list, 'Resources') ?? (totalResults === 0 ? [] : null));
  if (!Array.isArray(rows)) throw unreadable(OPERATION);
  const users = rows.map(serviceUserOf).filter((user) => user !== undefined);
  if (rows.length > 0 && users.length === 0) throw unreadable(OPERATION);
  const startIndex = numberOf(list, 'startIndex');
  return { users, rowCount: rows.length, totalResults, startIndex };
}

/** Some servers write numbers as text. */
function numberOf(list: unknown, name: string): number | null {
  const value = readScimMember(list, name);
  if (typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
  return typeof value === 'number' ? value : null;
}

/** The same comparison here: a server may ignore filters. */
export function isMatch(user: ServiceUser, { attribute, operator, value }: UserFilter): boolean {
  const fold = FOLDS[attribute];
  const own = user[attribute];
  if (own === null) return false;
  const is = fold(own);
  const wanted = fold(value);
  switch (operator) {
    case 'eq':
      return is === wanted;
    case 'co':
      return is.includes(wanted);
    case 'sw':
      return is.startsWith(wanted);
  }
}

const exactly = (text: string): string => text;

/** Addresses and names are the same in any case, ids are not (RFC 7643 3.1, 4.1.1). */
const FOLDS: Readonly<Record<UserFilter['attribute'], (text: string) => string>> = {
  id: exactly,
  userName: foldEmail,
  externalId: exactly,
  displayName: foldEmail,
};
