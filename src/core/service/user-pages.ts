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

/** One comparison (RFC 7644 3.4.2.2): equal, contains, starts with. */
export interface UserFilter {
  readonly attribute: 'id' | 'userName' | 'externalId' | 'displayName';
  readonly operator: 'eq' | 'co' | 'sw';
  readonly value: string;
}

export interface UsersAsked {
  readonly filter: UserFilter | null;
  /** Where to start, from 1 (the default). */
  readonly startIndex?: number;
  /** The page size; default 100. */
  readonly count?: number;
}

/** The result of one page, and what is known after it. */
export interface UserBatch {
  /** Matching accounts that were on no earlier page. */
  readonly users: readonly UserProfile[];
  /** Where the next page starts. */
  readonly nextIndex: number;
  /** The server's total of rows; null: not given. */
  readonly totalResults: number | null;
  /** The server returned accounts that do not match, or refused the filter: they were filtered here. */
  readonly ignoresFilter: boolean;
  /** The server returned more rows than requested, or repeated some: it may have accounts that it never shows. */
  readonly ignoresPaging: boolean;
  /** Some rows could not be parsed: accounts that are not shown. */
  readonly skipsRows: boolean;
}

/**
 * Reads pages until the total is reached or a page has no new account, and filters again here; if the server refuses
 * the filter, it reads everything. Does not end if a server invents accounts: the consumer decides when to stop. Throws
 * RemoteFailure.
 */
export async function* userPages(
  list: (query: UserQuery) => Promise<UserPage>,
  { filter, startIndex = 1, count = PAGE_SIZE }: UsersAsked,
): AsyncGenerator<UserBatch, void, undefined> {
  const seen = new Set<string>();
  let sent = filter;
  let ignoresFilter = false;
  let ignoresPaging = false;
  let skipsRows = false;
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
    skipsRows ||= page.users.length < page.rowCount;
    const { totalResults } = page;
    yield { users, nextIndex, totalResults, ignoresFilter, ignoresPaging, skipsRows };
    if (fresh.size === 0 || isLast(page, nextIndex, count)) return;
  }
}

/** By the total; except that on a full first page some servers return the page's count as the total. */
function isLast({ rowCount, totalResults }: UserPage, nextIndex: number, count: number): boolean {
  const isPerhapsOfPage = totalResults === rowCount && rowCount === count;
  return totalResults === nextIndex - 1 && !isPerhapsOfPage;
}

function isFirstAgain({ startIndex }: UserPage, asked: UserQuery): boolean {
  return startIndex === 1 && asked.startIndex > 1;
}

/** "Cannot filter", in various servers' ways; none of them means that nobody matches. */
const FILTER_REFUSED: ReadonlySet<number | undefined> = new Set([400, 404, 422, 501]);

function isFilterRefused(error: unknown): boolean {
  return error instanceof RemoteFailure && FILTER_REFUSED.has(error.status);
}

export interface UserPage {
  /** Rows that could be parsed. */
  readonly users: readonly UserProfile[];
  /** All rows, for the start of the next page. */
  readonly rowCount: number;
  readonly totalResults: number | null;
  /** The server's start of the page; null: not given. */
  readonly startIndex: number | null;
}

export interface UserQuery {
  readonly filter: UserFilter | null;
  /** From 1. */
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

/** As sent, before encoding: `userName eq "ana@example.com"`. */
function filterText({ attribute, operator, value }: UserFilter): string {
  return `${attribute} ${operator} ${JSON.stringify(value)}`;
}

/** `Resources` (which may be missing if nothing was found), a bare array, or either in `data`. */
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

/** The same comparison here, because a server may ignore filters. */
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

/** Addresses and names ignore case, ids do not (RFC 7643 3.1, 4.1.1). */
const FOLDS: Readonly<Record<UserFilter['attribute'], (text: string) => string>> = {
  id: exactly,
  userName: foldEmail,
  externalId: exactly,
  displayName: foldEmail,
};
