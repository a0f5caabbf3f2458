import type { Clock } from '../lib/clock.ts';
import type { Scim } from './scim.ts';
import type { ServiceUser, UserProfile } from './service-user.ts';
import { type CallLimits, DEFAULT_DEADLINE_MS } from './transport.ts';
import { listUsers, type UserFilter, userPages } from './user-pages.ts';

export const MAX_PAGES = 50;

/** An attribute that is unique to an account. */
export type UserKey = Exclude<UserFilter['attribute'], 'displayName'>;

export type UserMatch<User extends ServiceUser = ServiceUser> =
  | { readonly kind: 'found'; readonly user: User }
  /** `isPartial`: the service did not, or may not have, shown all accounts. */
  | { readonly kind: 'none'; readonly isPartial?: true }
  /** Several accounts with this value, or with addresses that differ only in spelling: it is not clear whose it is. */
  | { readonly kind: 'several' };

/**
 * The account with this id, address or external id. Searches the list (Interface 4.5 has no read of a single user), at
 * most 50 pages. `deadlineMs` covers all pages. Throws RemoteFailure.
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
  for await (const batch of pages) {
    const { nextIndex, totalResults, ignoresFilter, ignoresPaging, skipsRows } = batch;
    found.push(...batch.users);
    pageCount += 1;
    // A filtered answer without a total is assumed to be complete.
    const isWhole = !ignoresFilter && (totalResults ?? 0) < nextIndex;
    isPartial = ignoresPaging || skipsRows || (pageCount === MAX_PAGES && !isWhole);
    if (isWhole || pageCount === MAX_PAGES) break;
  }
  const [user, other] = found;
  if (!user) return isPartial ? { kind: 'none', isPartial } : { kind: 'none' };
  return other ? { kind: 'several' } : { kind: 'found', user };
}
