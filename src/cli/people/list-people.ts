import { RemoteFailure } from '../../core/lib/failure.ts';
import type { UserPages } from '../../core/service/service-client.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import { isMatch, type UserBatch, type UserFilter } from '../../core/service/user-pages.ts';
import { IGNORES_FILTER, IGNORES_PAGING } from '../../operations/accounts/trouble.ts';
import { createMovingLine, type MovingLine } from '../moving-line.ts';
import { progressText } from '../output.ts';
import { EXIT, type ExitCode, OutputError } from '../terminal.ts';
import { type PersistNeeds, persist } from './patient-users.ts';
import type { Session } from './session.ts';

export interface ListOptions {
  readonly active?: boolean;
  readonly deactivated?: boolean;
}

/** How many rows are written at a time: they determine the widths of a table's columns. */
const PART = 100;

/** `people list`: all accounts that the service shows, written as pages arrive. */
export async function listPeople(session: Session, options: ListOptions): Promise<ExitCode> {
  const { output } = session;
  const list = output.list();
  const isShown = isWanted(options);
  let count = 0;
  let accounts: UserProfile[] = [];
  const write = async () => {
    if (accounts.length === 0) return;
    await list.rows(accounts);
    count += accounts.length;
    accounts = [];
  };
  try {
    const read = await readWithProgress(session, null, async (page, progress) => {
      accounts.push(...page.filter(isShown));
      if (accounts.length < PART) return;
      // In a terminal the accounts themselves show progress.
      if (session.terminal.stdout.isTTY) progress[Symbol.dispose]();
      await write();
    });
    await write();
    await list.end();
    return close(session, read, count);
  } catch (error) {
    if (error instanceof OutputError) throw error;
    await write();
    if (count > 0) output.note(`The list is not complete: it ends after ${countText(count)}.`);
    throw error;
  }
}

/** `people find`: accounts whose userName or display name contains the text, or with that external id. */
export async function findPeople(
  session: Session,
  text: string,
  options: ListOptions,
): Promise<ExitCode> {
  const [first, ...others] = filtersFor(text.trim());
  const accounts = new Map<string, UserProfile>();
  const take = (page: readonly UserProfile[]) => {
    for (const each of page) accounts.set(each.id, each);
  };
  const reads = [await readWithProgress(session, first, take)];
  if (reads[0]?.ignoresFilter) {
    // Everything has been read then, so once is enough.
    const isMatching = (each: UserProfile) =>
      [first, ...others].some((filter) => isMatch(each, filter));
    accounts.clear();
    const all = await readWithProgress(session, null, (page) => take(page.filter(isMatching)));
    reads.splice(0, 1, { ...all, ignoresFilter: true });
  } else {
    for (const filter of others) reads.push(await readWithProgress(session, filter, take));
  }
  const together = {
    ignoresFilter: reads.some((read) => read.ignoresFilter),
    isPartial: reads.some((read) => read.isPartial),
  };
  const found = [...accounts.values()].filter(isWanted(options));
  session.output.table(found);
  return close(session, together, found.length);
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
  take: (accounts: readonly UserProfile[], progress: MovingLine) => unknown,
): Promise<AccountsRead> {
  using progress = createMovingLine(terminal, system);
  const onPage: ReadNeeds['onPage'] = (read, total) =>
    progress.show(progressText(read, total, 'accounts'));
  onPage(0, null);
  const needs = { ...waiting, users: pages, signal: terminal.signal, onPage };
  return await readAccounts({ ...needs, take: (page) => take(page, progress) }, filter);
}

/** Notes on what was written. */
function close(
  { output }: Session,
  { ignoresFilter, isPartial }: AccountsRead,
  count: number,
): ExitCode {
  if (ignoresFilter) output.note(IGNORES_FILTER);
  if (isPartial) output.note(IGNORES_PAGING);
  output.note(`${countText(count)}.`);
  return isPartial ? EXIT.notDone : EXIT.done;
}

function countText(accounts: number): string {
  return accounts === 1 ? '1 account' : `${accounts} accounts`;
}

function isWanted({ active, deactivated }: ListOptions): (account: UserProfile) => boolean {
  if (active) return (account) => account.active === true;
  return deactivated ? (account) => account.active === false : () => true;
}

/** A server could invent accounts without end. */
const MAX_PAGES = 10_000;

interface ReadNeeds extends PersistNeeds {
  readonly users: UserPages;
  readonly signal: AbortSignal;
  readonly onPage: (read: number, total: number | null) => void;
  /** Called with each page's new accounts, while the next page is being read. */
  readonly take: (accounts: readonly UserProfile[]) => unknown;
}

interface AccountsRead {
  readonly ignoresFilter: boolean;
  /** The service has accounts that it did not show. */
  readonly isPartial: boolean;
}

/** All accounts that match a filter, page by page. Throws RemoteFailure, and what `take` throws. */
async function readAccounts(needs: ReadNeeds, filter: UserFilter | null): Promise<AccountsRead> {
  const { users, signal, onPage, take } = needs;
  const seen = new Set<string>();
  let last: UserBatch | undefined;
  let isWhole = false;
  let startIndex = 1;
  let pageCount = 0;
  const readOn = async () => {
    for await (const batch of oneAhead(users.pages({ filter, startIndex }, { signal }))) {
      const fresh = batch.users.filter(({ id }) => !seen.has(id));
      for (const { id } of fresh) seen.add(id);
      last = batch;
      startIndex = batch.nextIndex;
      pageCount += 1;
      isWhole ||= isEnd(batch, pageCount);
      onPage(seen.size, filter === null ? batch.totalResults : null);
      await take(fresh);
      if (pageCount >= MAX_PAGES) break;
    }
  };
  await persistWhileItGetsOn(needs, readOn, () => startIndex);
  const { ignoresPaging = false, ignoresFilter = false, totalResults = null } = last ?? {};
  const isShort = filter === null && totalResults !== null && totalResults > seen.size;
  return {
    ignoresFilter,
    isPartial: !isWhole && (ignoresPaging || isShort || pageCount >= MAX_PAGES),
  };
}

/** Requests the next item while the current one is processed. */
async function* oneAhead<Each>(all: AsyncIterable<Each>): AsyncGenerator<Each> {
  const reader = all[Symbol.asyncIterator]();
  let next = reader.next();
  try {
    for (;;) {
      const each = await next;
      if (each.done) return;
      next = reader.next();
      // Thrown when its turn comes.
      next.catch(() => {});
      yield each.value;
    }
  } finally {
    await reader.return?.();
  }
}

/** All rows have arrived; a repeated page does not count. */
function isEnd({ totalResults, nextIndex, ignoresPaging }: UserBatch, pageCount: number): boolean {
  const isNew = !ignoresPaging || pageCount === 1;
  return isNew && totalResults !== null && nextIndex > totalResults;
}

/** A long list may fail now and then: tries are counted since the last progress. */
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
      if (at() === before || !(error instanceof RemoteFailure)) throw error;
    }
  }
}
