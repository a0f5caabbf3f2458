import type { Clause, Named } from './clause.ts';

/** A request can name those of its route's reviewers who may decide it. */

export interface Narrowing {
  readonly isNarrowed: boolean;
}

export const narrowing: Clause<Narrowing> = {
  start: () => ({ isNarrowed: false }),

  shape: (_, { narrowedTo }) =>
    narrowedTo && { asked: { ...narrowedTo, channel: false }, isNarrowed: true },

  rules: () => [],
};

/** It may name people who do not review its route: the members of groups are known only at the click. */
export function isConditional({ isNarrowed, route, silent }: Narrowing & Named): boolean {
  const groups = [...(route?.reviewers.groups ?? []), ...silent.groups];
  return isNarrowed && groups.length > 0;
}
