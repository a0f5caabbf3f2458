import { unreadable } from './json-of-exchange.ts';
import { readMember } from './read-member.ts';
import type { Scim } from './scim.ts';
import { serviceUserOf, type UserProfile } from './service-user.ts';
import type { CallLimits } from './transport.ts';
import { filterText, type UserFilter } from './user-filter.ts';

const OPERATION = 'list users';

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

/** `Resources` (which may be left out when nothing was found), a bare array, or either in `data`. */
function pageOf(body: unknown): UserPage {
  const list =
    readMember(body, 'Resources') === undefined ? (readMember(body, 'data') ?? body) : body;
  const totalResults = numberOf(list, 'totalResults');
  const rows = Array.isArray(list)
    ? list
    : (readMember(list, 'Resources') ?? (totalResults === 0 ? [] : null));
  if (!Array.isArray(rows)) throw unreadable(OPERATION);
  const users = rows.map(serviceUserOf).filter((user) => user !== undefined);
  if (rows.length > 0 && users.length === 0) throw unreadable(OPERATION);
  const startIndex = numberOf(list, 'startIndex');
  return { users, rowCount: rows.length, totalResults, startIndex };
}

function numberOf(list: unknown, name: string): number | null {
  const value = readMember(list, name);
  return typeof value === 'number' ? value : null;
}
