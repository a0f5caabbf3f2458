import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { UserFilter } from '../../service/user-filter.ts';
import type { UserBatch } from '../../service/user-pages.ts';
import { type PersistNeeds, persist } from './persist.ts';

/** A server could make up accounts for ever. */
const MAX_PAGES = 10_000;

export interface ReadNeeds extends PersistNeeds {
  readonly users: Pick<UsersClient, 'pages'>;
  readonly signal: AbortSignal;
  readonly onPage: (read: number, total: number | null) => void;
}

export interface AccountsRead {
  readonly accounts: readonly UserProfile[];
  readonly ignoresFilter: boolean;
  /** The service has accounts that it did not show. */
  readonly isPartial: boolean;
}

/** All accounts that a filter lets through, page after page. Throws RemoteFailure. */
export async function readAccounts(
  needs: ReadNeeds,
  filter: UserFilter | null,
): Promise<AccountsRead> {
  const { users, signal, onPage } = needs;
  const accounts = new Map<string, UserProfile>();
  let last: UserBatch | undefined;
  let isWhole = false;
  let startIndex = 1;
  let pageCount = 0;
  const readOn = async () => {
    for await (const batch of users.pages({ filter, startIndex }, { signal })) {
      for (const user of batch.users) accounts.set(user.id, user);
      last = batch;
      startIndex = batch.nextIndex;
      pageCount += 1;
      isWhole ||= isEnd(batch, pageCount);
      onPage(accounts.size, filter === null ? batch.totalResults : null);
      if (pageCount >= MAX_PAGES) break;
    }
  };
  await persistWhileItGetsOn(needs, readOn, () => startIndex);
  const { ignoresPaging = false, ignoresFilter = false, totalResults = null } = last ?? {};
  const isShort = filter === null && totalResults !== null && totalResults > accounts.size;
  return {
    accounts: [...accounts.values()],
    ignoresFilter,
    isPartial: !isWhole && (ignoresPaging || isShort || pageCount >= MAX_PAGES),
  };
}

/** As many rows came as there are; a page that came twice does not count. */
function isEnd({ totalResults, nextIndex, ignoresPaging }: UserBatch, pageCount: number): boolean {
  const isNew = !ignoresPaging || pageCount === 1;
  return isNew && totalResults !== null && nextIndex > totalResults;
}

/** A long list may fail now and then: tries are counted from where it last got on. */
async function persistWhileItGetsOn(
  needs: PersistNeeds,
  readOn: () => Promise<void>,
  at: () => number,
): Promise<void> {
  for (;;) {
    const before = at();
    try {
      return await persist(needs, 'read', readOn);
    } catch (error) {
      if (at() === before) throw error;
    }
  }
}
