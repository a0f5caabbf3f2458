import type { Clock } from '../lib/clock.ts';
import type { Scim } from './scim.ts';
import type { ServiceUser, UserProfile } from './service-user.ts';
import { type CallLimits, DEFAULT_DEADLINE_MS } from './transport.ts';
import { listUsers, type UserFilter, userPages } from './user-pages.ts';

export const MAX_PAGES = 50;

/** What tells one account from all others. */
export type UserKey = Exclude<UserFilter['attribute'], 'displayName'>;

export type UserMatch<User extends ServiceUser = ServiceUser> =
  | { readonly kind: 'found'; readonly user: User }
  /** `isPartial`: the service has, or may have, accounts that it did not show. */
  | { readonly kind: 'none'; readonly isPartial?: true }
  /** Accounts that have the same, or an address that only differs in how it is written: nobody can tell whose it is. */
  | { readonly kind: 'several' };

/**
 * The account with this id, address or external id. It is looked for in the list (Interface 4.5 shows
 * no way to read a single user), on at most 50 pages. `deadlineMs` holds for all pages together.
 * Throws RemoteFailure.
 */
export async function findUser(
  needs: { scim: Scim; clock: Clock },
  attribute: UserKey,
  value: string,
  limits: CallLimits = {},
): Promise<UserMatch<UserProfile>> {
  const endsAt = needs.clock.monotonic() + (limits.deadlineMs ?? DEFAULT_DEADLINE_MS);
  const left = () => ({ ...limits, deadlineMs: endsAt - needs.clock.monotonic() });
  const filter = { attribute, operator: 'eq', value } as const;
  const pages = userPages((query) => listUsers(needs.scim, query, left()), { filter });
  const found: UserProfile[] = [];
  let pageCount = 0;
  let isPartial = false;
  for await (const { users, nextIndex, totalResults, ignoresFilter, ignoresPaging } of pages) {
    found.push(...users);
    pageCount += 1;
    // A filtered answer that does not say how much there is, is taken to be whole.
    const isWhole = !ignoresFilter && (totalResults ?? 0) < nextIndex;
    isPartial = ignoresPaging || (pageCount === MAX_PAGES && !isWhole);
    if (isWhole || pageCount === MAX_PAGES) break;
  }
  const [user, other] = found;
  if (!user) return isPartial ? { kind: 'none', isPartial } : { kind: 'none' };
  return other ? { kind: 'several' } : { kind: 'found', user };
}
