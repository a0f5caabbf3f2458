import { section, somebody } from '../../core/config/file.ts';
import { type NamedPeople, union } from '../../core/config/values.ts';
import type { Clause } from './clause.ts';

declare module '../../core/config/file.ts' {
  interface RouteMembers {
    /** People who can decide but are not mentioned. */
    readonly quiet: NamedPeople;
  }
}

/** Quiet reviewers can decide, and are not asked to. */
export const quiet: Clause<unknown> = {
  pieces: { quiet: section(somebody).prefault({}) },

  start({ route, named }) {
    if (route === undefined) return {};
    return { silent: route.quiet, named: { ...named, ...union(named, route.quiet) } };
  },

  rules: () => [],
};
