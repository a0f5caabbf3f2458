import type { NamedPeople, Need } from '../../core/config/config.ts';
import type { Clause, Named } from './clause.ts';

/** How many different people have to approve, and which places they fill together. */

export interface Needs {
  /** A request can raise the route's quorum, not lower it. */
  readonly quorum: number;
  /** The needs of the route and the request. */
  readonly places: readonly Need[];
  /** How many have to approve: at least as many as there are places. */
  readonly needed: number;
}

type NeedRule =
  | { readonly code: 'needed'; readonly needed: number }
  | { readonly code: 'need'; readonly need: Need }
  | { readonly code: 'one-need-each' };

export const needs: Clause<Needs, NeedRule> = {
  start({ route }) {
    const { need = [], quorum = 1 } = route ?? {};
    return placesOf(need, quorum);
  },

  shape({ quorum: least, places }, { needs = [], quorum = 1 }) {
    if (needs.length === 0 && quorum <= least) return undefined;
    return placesOf([...places, ...needs], Math.max(quorum, least));
  },

  rules: ({ needed, places }) => [
    { code: 'needed', needed },
    ...places.map((need) => ({ code: 'need', need }) as const),
    ...(places.length > 1 ? [{ code: 'one-need-each' } as const] : []),
  ],
};

function placesOf(places: readonly Need[], quorum: number): Needs {
  const all = places.reduce((sum, { count }) => sum + count, 0);
  return { quorum, places, needed: Math.max(quorum, all) };
}

/** Ids of all user groups in the needs. */
export function groupsIn(needs: readonly { readonly of: NamedPeople }[]): readonly string[] {
  return [...new Set(needs.flatMap(({ of }) => of.groups))];
}

/** People in these needs, as far as the configuration tells. */
export function peopleFor({ places, asked }: Needs & Named, names: readonly string[]): NamedPeople {
  const wanted = places.filter(({ name }) => names.includes(name));
  const users = [...new Set(wanted.flatMap(({ of }) => of.users))];
  const isKnown = asked.groups.length === 0 && !asked.channel;
  const isReviewer = (user: string) => !isKnown || asked.users.includes(user);
  return { users: users.filter(isReviewer), groups: groupsIn(wanted) };
}
