import type { NamedPeople } from '../../core/config/config.ts';
import { union } from '../../core/config/values.ts';
import type { Clause, Named } from './clause.ts';
import type { Narrowing } from './narrowing.ts';

/** Quiet reviewers can decide, and are not asked to. */

export interface Quiet {
  readonly quiet: NamedPeople;
}

export const quiet: Clause<Quiet> = {
  start({ route, named }) {
    const { quiet = { users: [], groups: [] } } = route ?? {};
    return { quiet, named: { ...named, ...union(named, quiet) } };
  },

  rules: () => [],
};

/** Some of them can still decide. `done`: who has nothing left to decide. */
export function isQuietWanted(
  { quiet: { users, groups }, isNarrowed, asked }: Quiet & Narrowing & Named,
  done: readonly string[],
): boolean {
  const isAsked = (user: string) => asked.groups.length > 0 || asked.users.includes(user);
  return (
    groups.some((group) => !isNarrowed || asked.groups.includes(group)) ||
    users.some((user) => !done.includes(user) && (!isNarrowed || isAsked(user)))
  );
}
