import type { UserPages } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { isMatch, type UserBatch, type UserFilter } from '../../core/service/user-pages.ts';
import { IGNORES_FILTER, IGNORES_PAGING } from '../../operations/accounts/trouble.ts';
import { createMovingLine } from '../moving-line.ts';
import { progressText } from '../output.ts';
import { EXIT, type ExitCode } from '../terminal.ts';
import { type PersistNeeds, persist } from './patient-users.ts';
import type { Session } from './session.ts';

export interface ListOptions {
  readonly active?: boolean;
  readonly deactivated?: boolean;
}

/** `people list`: every account that the service shows. */
export async function listPeople(session: Session, options: ListOptions): Promise<ExitCode> {
  const read = await readWithProgress(session, null);
  return show(session, read, read.accounts.filter(isWanted(options)));
}

/** `people find`: accounts whose userName or display name has the text in it, or with that external id. */
export async function findPeople(
  session: Session,
  text: string,
  options: ListOptions,
): Promise<ExitCode> {
  const [first, ...others] = filtersFor(text.trim());
  let reads = [await readWithProgress(session, first)];
  if (reads[0]?.ignoresFilter) {
    // Everything is read then, so that once is enough.
    const all = await readWithProgress(session, null);
    const isMatching = (each: UserProfile) =>
      [first, ...others].some((filter) => isMatch(each, filter));
    reads = [{ ...all, accounts: all.accounts.filter(isMatching), ignoresFilter: true }];
  } else {
    for (const filter of others) reads.push(await readWithProgress(session, filter));
  }
  const accounts = new Map(reads.flatMap((read) => read.accounts.map((each) => [each.id, each])));
  const together = {
    ignoresFilter: reads.some((read) => read.ignoresFilter),
    isPartial: reads.some((read) => read.isPartial),
  };
  return show(session, together, [...accounts.values()].filter(isWanted(options)));
}

function filtersFor(value: string): readonly [UserFilter, ...UserFilter[]] {
  return [
    { attribute: 'userName', operator: 'co', value },
    { attribute: 'displayName', operator: 'co', value },
    { attribute: 'externalId', operator: 'eq', value },
  ];
}

async function readWithProgress(
  { terminal, system, pages, waiting }: Session,
  filter: UserFilter | null,
): Promise<AccountsRead> {
  using progress = createMovingLine(terminal, system);
  const onPage: ReadNeeds['onPage'] = (read, total) =>
    progress.show(progressText(read, total, 'accounts'));
  onPage(0, null);
  return await readAccounts({ ...waiting, users: pages, signal: terminal.signal, onPage }, filter);
}

function show(
  { output }: Session,
  { ignoresFilter, isPartial }: Pick<AccountsRead, 'ignoresFilter' | 'isPartial'>,
  accounts: readonly UserProfile[],
): ExitCode {
  output.table(accounts);
  if (ignoresFilter) output.note(IGNORES_FILTER);
  if (isPartial) output.note(IGNORES_PAGING);
  output.note(accounts.length === 1 ? '1 account.' : `${accounts.length} accounts.`);
  return isPartial ? EXIT.notDone : EXIT.done;
}

function isWanted({ active, deactivated }: ListOptions): (account: UserProfile) => boolean {
  if (active) return (account) => account.active === true;
  return deactivated ? (account) => account.active === false : () => true;
}

/** A server could make up accounts for ever. */
const MAX_PAGES = 10_000;

interface ReadNeeds extends PersistNeeds {
  readonly users: UserPages;
  readonly signal: AbortSignal;
  readonly onPage: (read: number, total: number | null) => void;
}

interface AccountsRead {
  readonly accounts: readonly UserProfile[];
  readonly ignoresFilter: boolean;
  /** The service has accounts that it did not show. */
  readonly isPartial: boolean;
}

/** All accounts that a filter lets through, page after page. Throws RemoteFailure. */
async function readAccounts(needs: ReadNeeds, filter: UserFilter | null): Promise<AccountsRead> {
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
      return await persist(needs, readOn);
    } catch (error) {
      if (at() === before) throw error;
    }
  }
}
