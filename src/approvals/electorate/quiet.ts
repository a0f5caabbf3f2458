import { union } from '../../core/config/values.ts';
import type { Clause } from './clause.ts';

/** Quiet reviewers can decide, and are not asked to. */
export const quiet: Clause<unknown> = {
  start({ route, named }) {
    if (route === undefined) return {};
    return { silent: route.quiet, named: { ...named, ...union(named, route.quiet) } };
  },

  rules: () => [],
};
