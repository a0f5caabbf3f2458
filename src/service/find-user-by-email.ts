import type { Clock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import { foldEmail } from '../lib/fold-email.ts';
import type { ListUsers, UserPage } from './list-users.ts';
import type { ServiceUser } from './service-user.ts';
import { type CallLimits, DEFAULT_DEADLINE_MS } from './transport.ts';

const MAX_PAGES = 50;
const PAGE_SIZE = 100;

export type UserMatch =
  | { readonly kind: 'found'; readonly user: ServiceUser }
  | { readonly kind: 'none' }
  /** Accounts that differ only in how they write the address: nobody can tell whose it is. */
  | { readonly kind: 'several' };

/**
 * The account with this address (Interface 2.5, 4.5). Asks with a filter and matches again itself,
 * because a server may ignore the filter; where a server refuses it (400, 422) it reads all pages
 * without. `deadlineMs` holds for all pages together. Throws RemoteFailure.
 */
export async function findUserByEmail(
  needs: { list: ListUsers; clock: Clock },
  email: string,
  limits: CallLimits = {},
): Promise<UserMatch> {
  const endsAt = needs.clock.monotonic() + (limits.deadlineMs ?? DEFAULT_DEADLINE_MS);
  const list: ListUsers = (query) =>
    needs.list(query, { ...limits, deadlineMs: endsAt - needs.clock.monotonic() });
  const filter = `userName eq ${JSON.stringify(email.trim())}`;
  try {
    return await searchPages(list, filter, email, limits);
  } catch (error) {
    const isFilterRefused =
      error instanceof RemoteFailure && (error.status === 400 || error.status === 422);
    if (!isFilterRefused) throw error;
    return await searchPages(list, null, email, limits);
  }
}

async function searchPages(
  list: ListUsers,
  filter: string | null,
  email: string,
  limits: CallLimits,
): Promise<UserMatch> {
  const address = foldEmail(email);
  const isMatch = (user: ServiceUser) => foldEmail(user.userName) === address;
  const seen = new Map<string, ServiceUser>();
  let rows = 0;
  for (let page = 0; page < MAX_PAGES; page++) {
    const result = await list({ filter, startIndex: rows + 1, count: PAGE_SIZE }, limits);
    rows += result.rowCount;
    const known = seen.size;
    for (const user of result.users) seen.set(user.id, user);
    const isFiltered = filter !== null && result.users.every(isMatch);
    if (seen.size === known || (isFiltered && isLast(result, rows))) break;
  }
  return matchOf([...seen.values()].filter(isMatch));
}

/** A filtered answer that does not say how much there is, is taken to be whole. */
function isLast({ totalResults }: UserPage, rows: number): boolean {
  return totalResults === null || totalResults <= rows;
}

function matchOf(users: readonly ServiceUser[]): UserMatch {
  const [user] = users;
  if (!user) return { kind: 'none' };
  return users.length === 1 ? { kind: 'found', user } : { kind: 'several' };
}
