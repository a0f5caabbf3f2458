import { assign } from '../lib/assign.ts';
import { type NamedPeople, union } from './values.ts';

/** Places that different people have to fill: their limits, who can fill them, and whether that is possible. */

/** A number of different people, out of these, have to approve. */
export interface Place {
  readonly name: string;
  readonly of: NamedPeople;
  readonly count: number;
}

/** More people who can decide; `needs`: which they can fill, undefined: any. */
interface More extends NamedPeople {
  readonly needs?: readonly string[] | undefined;
}

/** For a route, and for a request in addition. */
export const PLACES_MAX = 5;
/** Each is read at a click, and Slack answers for some 20 groups a minute. */
export const GROUPS_MAX = 10;

/** Whether needs name few enough different user groups. */
export function hasFewGroups(
  needs: readonly { readonly of: { readonly groups?: readonly string[] | undefined } }[],
): boolean {
  return new Set(needs.flatMap(({ of }) => of.groups ?? [])).size <= GROUPS_MAX;
}

/** Needs with more people who can also fill them. */
export function withMore(needs: readonly Place[], more: readonly More[]): readonly Place[] {
  if (more.length === 0) return needs;
  return needs.map((need) => {
    const also = more.filter((to) => to.needs?.includes(need.name) ?? true);
    return { ...need, of: union(need.of, ...also) };
  });
}

/**
 * Whether different people could fill every need, without `asker`. Group members are known only at the click, so a
 * group may include anybody. undefined: the reviewers include groups, and only needs with named people are checked.
 */
export function canBeCovered(
  needs: readonly Place[],
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

/** Ids of all user groups whose members can fill one of these. */
export function groupsIn(places: readonly { readonly of: NamedPeople }[]): readonly string[] {
  return [...new Set(places.flatMap(({ of }) => of.groups))];
}
