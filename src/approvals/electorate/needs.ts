import type { Place } from '../../core/config/config.ts';
import { notNobody, section, somebody } from '../../core/config/file.ts';
import { canBeCovered, GROUPS_MAX, hasFewGroups, PLACES_MAX } from '../../core/config/places.ts';
import { list, needName, wholeNumber } from '../../core/config/values.ts';
import { type Clause, namedIn, type Threshold } from './clause.ts';

/** Needs of a route and a request: different people have to fill all their places. */

declare module '../approval.ts' {
  interface Approval {
    /** Needs in addition to the route's. */
    readonly needs?: readonly Place[];
  }
}

declare module '../../core/config/file.ts' {
  interface RouteMembers {
    /** Needs that different people have to fill, whatever the quorum. */
    readonly need: readonly Place[];
  }
}

/** A number of these people have to approve. */
const needSection = section({
  name: needName,
  of: notNobody(section(somebody)),
  count: wholeNumber(1, 100).default(1),
});

const need = list(needSection)
  .refine((needs) => new Set(needs.map(({ name }) => name)).size === needs.length, {
    error: 'must not use a name twice',
  })
  .refine((needs) => needs.length <= PLACES_MAX, {
    error: `must have at most ${PLACES_MAX} entries`,
  })
  .refine(hasFewGroups, { error: `must name at most ${GROUPS_MAX} groups` });

type NeedRule =
  | { readonly code: 'need'; readonly need: Place }
  | { readonly code: 'one-need-each' };

export const needs: Clause<unknown, NeedRule> = {
  pieces: { need },

  check: {
    path: 'need',
    error: 'cannot be covered by different reviewers',
    holds({ named, places }) {
      const all = namedIn(named);
      return all?.length === 0 || canBeCovered(places, all);
    },
  },

  start({ route, quorum }) {
    const { need = [] } = route ?? {};
    return placesOf(need, quorum);
  },

  shape({ places, quorum }, { needs = [] }) {
    return needs.length === 0 ? undefined : placesOf([...places, ...needs], quorum);
  },

  rules: ({ places }) => [
    ...places.map((need) => ({ code: 'need', need }) as const),
    ...(places.length > 1 ? [{ code: 'one-need-each' } as const] : []),
  ],
};

function placesOf(places: readonly Place[], quorum: number): Threshold {
  const all = places.reduce((sum, { count }) => sum + count, 0);
  return { quorum, places, needed: Math.max(quorum, all) };
}
