import type { Place } from '../../core/config/config.ts';
import type { Clause, Threshold } from './clause.ts';

/** Needs of a route and a request: different people have to fill all their places. */

declare module '../approval.ts' {
  interface Approval {
    /** Needs in addition to the route's. */
    readonly needs?: readonly Place[];
  }
}

type NeedRule =
  | { readonly code: 'need'; readonly need: Place }
  | { readonly code: 'one-need-each' };

export const needs: Clause<unknown, NeedRule> = {
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
