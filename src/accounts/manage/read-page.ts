import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { UserBatch } from '../../service/user-pages.ts';
import { type Browse, startOf } from './browse.ts';

export const PAGE_SIZE = 10;

/** One page of all accounts. */
export interface AccountPage {
  readonly users: readonly UserProfile[];
  /** Where the next page begins; null: this is the last. */
  readonly next: number | null;
  /** How many there are, as the service says; null: it does not. */
  readonly total: number | null;
  /** The service gives the same whatever page is asked for: what it leaves out is never seen. */
  readonly ignoresPaging: boolean;
}

/** Reads the page, and nothing else of the list (Interface 4.5). Throws RemoteFailure. */
export async function readPage(
  users: Pick<UsersClient, 'pages'>,
  browse: Browse,
): Promise<AccountPage> {
  const startIndex = startOf(browse);
  const asked = { filter: null, startIndex, count: PAGE_SIZE };
  for await (const batch of users.pages(asked)) return pageOf(batch, browse, startIndex);
  return { users: [], next: null, total: null, ignoresPaging: false };
}

function pageOf(batch: UserBatch, { before }: Browse, start: number): AccountPage {
  const { users, nextIndex, totalResults: total } = batch;
  const isAgain = before !== null && users.some(({ id }) => id === before);
  if (batch.ignoresPaging || isAgain) return cutOut(batch, start);
  const isMore = users.length > 0 && (total === null || nextIndex <= total);
  return { users, next: isMore ? nextIndex : null, total, ignoresPaging: false };
}

/** The page out of everything that the service shows. */
function cutOut({ users, totalResults: total }: UserBatch, start: number): AccountPage {
  const end = start - 1 + PAGE_SIZE;
  const next = end < users.length ? end + 1 : null;
  return { users: users.slice(start - 1, end), next, total, ignoresPaging: true };
}
