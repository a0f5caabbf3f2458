import type { Clock } from '../../lib/clock.ts';
import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { UserFilter } from '../../service/user-filter.ts';

export interface SearchNeeds {
  readonly users: Pick<UsersClient, 'find' | 'pages'>;
  readonly clock: Pick<Clock, 'monotonic'>;
}

/** Accounts that match, and what was not looked at. */
export interface Search {
  readonly users: readonly UserProfile[];
  /** More match than are given. */
  readonly isMore: boolean;
  /** Not every account was looked at: there are too many. */
  readonly isCutShort: boolean;
  readonly ignoresFilter: boolean;
  readonly ignoresPaging: boolean;
}

const RESULTS_MAX = 20;
const PAGES_MAX = 20;
const SEARCH_MS = 10_000;

/**
 * Accounts whose address or name holds the text, case does not count. A whole address is looked for
 * as such first: that is what every service understands. Throws RemoteFailure.
 */
export async function searchAccounts(needs: SearchNeeds, text: string): Promise<Search> {
  const isAddress = text.includes('@');
  if (isAddress) {
    const match = await needs.users.find('userName', text);
    if (match.kind === 'found') return { ...NOTHING, users: [match.user] };
  }
  const attributes = isAddress ? (['userName'] as const) : (['displayName', 'userName'] as const);
  const endsAt = needs.clock.monotonic() + SEARCH_MS;
  const searches = await Promise.all(
    attributes.map((attribute) =>
      search(needs, { attribute, operator: 'co', value: text }, endsAt),
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
  { users, clock }: SearchNeeds,
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
    // A filtered answer that does not say how much there is, is taken to be whole.
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
