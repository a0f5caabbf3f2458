import { RemoteFailure } from '../lib/failure.ts';
import type { UserPage, UserQuery } from './list-users.ts';
import type { UserProfile } from './service-user.ts';
import { isMatch, type UserFilter } from './user-filter.ts';

const PAGE_SIZE = 100;

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
 * Reads page after page until one brings no new account, and matches again what the server was asked
 * to filter; where it refuses the filter (400, 422) it reads everything. It has no end where a server
 * makes up accounts: who reads on decides how long. Throws RemoteFailure.
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
    if (fresh.size === 0) return;
  }
}

function isFirstAgain({ startIndex }: UserPage, asked: UserQuery): boolean {
  return startIndex === 1 && asked.startIndex > 1;
}

function isFilterRefused(error: unknown): boolean {
  return error instanceof RemoteFailure && (error.status === 400 || error.status === 422);
}
