import type { Reviewers, Route } from '../../core/config/config.ts';
import { everybodyOn } from '../../core/config/file.ts';

/** Everybody who can ever decide on a route, if the request narrows nothing: as in `electorateOf` at the end of time. */
export function decidersOf(route: Route): Reviewers {
  const known = DECIDERS.get(route);
  if (known !== undefined) return known;
  const deciders = everybodyOn(route);
  DECIDERS.set(route, deciders);
  return deciders;
}

/** Computed once for each route. */
const DECIDERS = new WeakMap<Route, Reviewers>();
