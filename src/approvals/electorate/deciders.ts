import type { Reviewers } from '../../core/config/config.ts';
import type { RouteSection } from '../../core/config/file.ts';
import { electorateEver } from './electorate.ts';

/** Everybody who can ever decide on a route, if the request narrows nothing: as in `electorateOf` at the end of time. */
export function decidersOf(route: RouteSection): Reviewers {
  const known = DECIDERS.get(route);
  if (known !== undefined) return known;
  const { named: deciders } = electorateEver(route);
  DECIDERS.set(route, deciders);
  return deciders;
}

/** Computed once for each route. */
const DECIDERS = new WeakMap<RouteSection, Reviewers>();
