import type { NamedPeople, Place } from '../../core/config/config.ts';
import { groupsIn } from '../../core/config/places.ts';
import { assign } from '../../core/lib/assign.ts';
import type { Ballot } from '../approval.ts';
import type { Named, Threshold } from './clause.ts';
import { isSamePerson, share, slackIdsOf, votesFor } from './votes.ts';

/**
 * Whether approvals are enough: as many different people as needed, of whom different ones fill every place. A person
 * fills one place.
 */
export interface Tally {
  /** Whose approvals count: one for each person. */
  readonly votes: readonly Ballot[];
  /** How many different people approve. */
  readonly have: number;
  readonly needed: number;
  readonly needs: readonly NeedTally[];
  /** Places that are still open. */
  readonly open: readonly OpenPlaces[];
  readonly isEnough: boolean;
}

interface NeedTally {
  readonly name: string;
  readonly count: number;
  readonly have: number;
}

/** Open places, for anyone who meets one of these needs: a person filling one of them could move to another place. */
export interface OpenPlaces {
  readonly count: number;
  readonly of: readonly string[];
}

/** The approvals among these ballots, as their people were last authorized. */
export function tally({ places, needed }: Threshold, ballots: readonly Ballot[]): Tally {
  const votes = votesFor('approve', ballots);
  const filled = assign(places, votes, canFill);
  const open = openPlaces(filled, canFill);
  return {
    votes,
    have: votes.length,
    needed,
    needs: filled.map(({ place: { name, count }, filledBy }) => ({
      name,
      count,
      have: filledBy.length,
    })),
    open,
    isEnough: votes.length >= needed && open.length === 0,
  };
}

/**
 * Whose approvals a decision uses, by Slack user ids: those that fill places, and as many others as the quorum takes.
 * undefined: all, for a rejection or without needs.
 */
export function approversOf(
  { places, quorum }: Threshold,
  ballots: readonly Ballot[],
  { user, action }: Ballot,
): readonly string[] | undefined {
  if (places.length === 0 || action === 'reject') return undefined;
  const votes = votesFor('approve', ballots);
  const isDecider = (ballot: Ballot) => ballot.user === user;
  const inTurn = [...votes.filter(isDecider), ...votes.filter((each) => !isDecider(each))];
  const filling = assign(places, inTurn, canFill).flatMap(({ filledBy }) => filledBy);
  const others = inTurn.filter((each) => !filling.includes(each));
  const further = others.slice(0, Math.max(0, quorum - filling.length));
  const used = [...filling, ...further];
  return votes.filter((each) => used.includes(each) || isDecider(each)).map((each) => each.user);
}

/** Whether an approval reduces the number of people missing. */
export function isHelping(needs: Threshold, ballots: readonly Ballot[], ballot: Ballot): boolean {
  const others = ballots.filter((each) => !isSamePerson(each, ballot));
  return missingIn(tally(needs, ballots)) < missingIn(tally(needs, others));
}

/** How many more people have to approve, if each can fill what is missing. */
function missingIn({ have, needed, open }: Tally): number {
  return Math.max(needed - have, openIn(open));
}

/** How many approvals are missing in addition to the open places. */
export function furtherIn({ have, needed, open }: Pick<Tally, 'have' | 'needed' | 'open'>): number {
  return needed - have - openIn(open);
}

/** The number of open places. */
export function openIn(open: Tally['open']): number {
  return open.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Whether a ballot can fill a need, by the ids and groups its person was last authorized with; for a substitute's, the
 * absent person's.
 */
export function canFill(ballot: Ballot, { of }: Place): boolean {
  const ids = slackIdsOf(ballot.for ?? ballot);
  return share(of.users, ids) || share(of.groups, ballot.through ?? []);
}

/** People for places of these names, as far as the configuration tells. */
export function peopleFor({ places, asked }: Named, names: readonly string[]): NamedPeople {
  const wanted = places.filter(({ name }) => names.includes(name));
  const users = [...new Set(wanted.flatMap(({ of }) => of.users))];
  const isKnown = asked.groups.length === 0 && !asked.channel;
  const isReviewer = (user: string) => !isKnown || asked.users.includes(user);
  return { users: users.filter(isReviewer), groups: groupsIn(wanted) };
}

/** The open places: with the needs of people who could move there, as their own places would then be open. */
function openPlaces<Person>(
  places: ReturnType<typeof assign<Place, Person>>,
  canFill: (person: Person, need: Place) => boolean,
): readonly OpenPlaces[] {
  const open = new Map<string, OpenPlaces>();
  for (const { place: need, filledBy } of places) {
    const count = need.count - filledBy.length;
    if (count === 0) continue;
    const wanted = new Set([need]);
    // Grows during the loop.
    for (const each of wanted) {
      for (const other of places) {
        if (other.filledBy.some((person) => canFill(person, each))) wanted.add(other.place);
      }
    }
    const of = places.flatMap(({ place }) => (wanted.has(place) ? [place.name] : []));
    const key = of.join();
    open.set(key, { count: count + (open.get(key)?.count ?? 0), of });
  }
  return [...open.values()];
}

/**
 * Names of the needs that together require more people than there are; by Slack ids, with `isIn` telling who is in a
 * user group.
 */
export function unfillableNeeds(
  needs: readonly Place[],
  people: readonly string[],
  isIn: (user: string, group: string) => boolean,
): readonly string[] {
  const canBe = (user: string, { of: { users, groups } }: Place) =>
    users.includes(user) || groups.some((group) => isIn(user, group));
  const open = openPlaces(assign(needs, people, canBe), canBe);
  return [...new Set(open.flatMap(({ of }) => of))];
}
