import { IGNORES_FILTER, IGNORES_PAGING } from '../../accounts/trouble.ts';
import type { UserProfile } from '../../service/service-user.ts';
import { isMatch, type UserFilter } from '../../service/user-filter.ts';
import { createProgress } from './progress.ts';
import { type AccountsRead, readAccounts } from './read-accounts.ts';
import type { Session } from './session.ts';
import { EXIT, type ExitCode } from './terminal.ts';

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
  { terminal, pages, waiting }: Session,
  filter: UserFilter | null,
): Promise<AccountsRead> {
  const progress = createProgress(terminal, 'accounts');
  const needs = { ...waiting, users: pages, signal: terminal.signal, onPage: progress.show };
  try {
    return await readAccounts(needs, filter);
  } finally {
    progress.clear();
  }
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
