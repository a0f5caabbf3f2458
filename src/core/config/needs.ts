import { assign } from '../lib/assign.ts';
import { type NamedPeople, union } from './values.ts';

/** Needs of a route or a request: how many there can be, who can fill them, and whether anybody ever can. */

/** So many different people of these have to approve. */
export interface Need {
  readonly name: string;
  readonly of: NamedPeople;
  readonly count: number;
}

/** Who can decide as well after a while; `needs`: which they fill, undefined: any. */
interface EscalatedTo extends NamedPeople {
  readonly needs?: readonly string[] | undefined;
}

/** Of a route, and of a request besides. */
export const NEEDS_MAX = 5;
/** Each is asked for at a click, and Slack tells of some 20 groups a minute. */
export const GROUPS_MAX = 10;

/** Whether needs name few user groups, each counted once. */
export function hasFewGroups(
  needs: readonly { readonly of: { readonly groups?: readonly string[] | undefined } }[],
): boolean {
  return new Set(needs.flatMap(({ of }) => of.groups ?? [])).size <= GROUPS_MAX;
}

/** Needs with whoever else can fill them once it is escalated to these. */
export function withEscalated(
  needs: readonly Need[],
  escalatedTo: readonly EscalatedTo[],
): readonly Need[] {
  if (escalatedTo.length === 0) return needs;
  return needs.map((need) => {
    const also = escalatedTo.filter((to) => to.needs?.includes(need.name) ?? true);
    return { ...need, of: union(need.of, ...also) };
  });
}

/**
 * Whether different people of these could fill every place, without `asker`. Who is in a group is known only at the
 * click: anybody may be. undefined: so is who reviews, and only needs of named people are counted.
 */
export function canBeCovered(
  needs: readonly Need[],
  reviewers: readonly string[] | undefined,
  asker?: string,
): boolean {
  const counted =
    reviewers === undefined ? needs.filter(({ of }) => of.groups.length === 0) : needs;
  const people = new Set(reviewers ?? counted.flatMap(({ of }) => of.users));
  if (asker !== undefined) people.delete(asker);
  const filled = assign(
    counted,
    [...people],
    (user, { of }) => of.groups.length > 0 || of.users.includes(user),
  );
  return filled.every(({ place, filledBy }) => filledBy.length === place.count);
}
