import type { NamedPeople, Reviewers, Route } from '../../core/config/config.ts';
import { union } from '../../core/config/values.ts';
import type { Clause, Named } from './clause.ts';
import type { Narrowing } from './narrowing.ts';

/** Quiet reviewers can decide, and are not asked to. */

export interface Quiet {
  readonly quiet: NamedPeople;
}

export const quiet: Clause<Quiet> = {
  start: { quiet: { users: [], groups: [] } },

  shape(electorate) {
    const { route } = electorate;
    if (route === undefined || !isAnybody(route.quiet)) return electorate;
    return { ...electorate, named: withQuiet(route), quiet: route.quiet };
  },

  rules: () => [],
};

function isAnybody({ users, groups }: NamedPeople): boolean {
  return users.length + groups.length > 0;
}

function withQuiet(route: Route): Reviewers {
  const known = NAMED.get(route);
  if (known !== undefined) return known;
  const named = { ...route.reviewers, ...union(route.reviewers, route.quiet) };
  NAMED.set(route, named);
  return named;
}

/** Computed once for each route: every request needs them. */
const NAMED = new WeakMap<Route, Reviewers>();

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
