import type { Reviewers } from '../../core/config/config.ts';
import type { Clause, Named } from './clause.ts';
import type { GonePeople } from './gone.ts';
import { askersOf, type OwnRequest } from './own-request.ts';
import { unfillableNeeds } from './tally.ts';
import { share } from './votes.ts';

/** Whether too few people can approve a request, as last counted: `count-reviewers.ts`. */

export interface Lacking {
  readonly lacking: {
    /** How many can, if too few. */
    readonly able?: number;
    /** Nobody but its requester could approve it. */
    readonly isOnlyRequester?: true;
    /** Needs that they cannot fill. */
    readonly needs: readonly string[];
  };
}

declare module './clause.ts' {
  interface Electorate extends Lacking {}
}

export const lacking: Clause<Lacking> = {
  start: () => ({ lacking: { needs: [] } }),

  shape(electorate, { counted }) {
    const { able, isOnlyRequester, lacking = [] } = counted ?? {};
    if (able === undefined && lacking.length === 0) return undefined;
    const isNeeded = (name: string) => electorate.places.some((need) => need.name === name);
    return {
      lacking: {
        ...(able !== undefined && { able }),
        ...(isOnlyRequester === true && { isOnlyRequester }),
        needs: lacking.filter(isNeeded),
      },
    };
  },

  rules: () => [],
};

/** Members of user groups, by its id. */
export type Members = ReadonlyMap<string, ReadonlySet<string>>;

type Counting = Named & OwnRequest & GonePeople;

/** What is lacking if these are the members of all groups. */
export function lackingAmong(
  electorate: Counting,
  members: Members,
): { able?: number; isOnlyRequester?: true; lacking?: readonly string[] } {
  const { selfApproval, requesters, gone, places, needed } = electorate;
  const named = reviewersAmong(electorate, members);
  const askers = askersOf({ requesters });
  const able = named.filter(
    (user) => (selfApproval !== false || !askers.includes(user)) && gone?.[user] === undefined,
  );
  const isIn = (user: string, group: string) => members.get(group)?.has(user) === true;
  const needs = unfillableNeeds(places, able, isIn);
  const isTooFew = able.length < needed;
  const isOnlyRequester = isTooFew && able.length === 0 && share(named, askers);
  return {
    ...(isTooFew && { able: able.length }),
    ...(isOnlyRequester && { isOnlyRequester }),
    ...(needs.length > 0 && { lacking: needs }),
  };
}

/** Who is asked and could approve it, had they not asked for it. */
function reviewersAmong({ named, asked, isNarrowed }: Named, members: Members): readonly string[] {
  const peopleOf = ({ users, groups }: Reviewers) =>
    new Set([...users, ...groups.flatMap((group) => [...(members.get(group) ?? [])])]);
  const ofRoute = peopleOf(named);
  const wanted = isNarrowed ? peopleOf(asked) : ofRoute;
  return [...wanted].filter((user) => named.channel || ofRoute.has(user));
}
