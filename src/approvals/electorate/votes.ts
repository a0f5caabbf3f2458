import type { NamedPeople, Need } from '../../core/config/config.ts';
import { withEscalated } from '../../core/config/needs.ts';
import { assign } from '../../core/lib/assign.ts';
import type { Action, Approval, Ballot, Giver } from '../approval.ts';
import type { PresentRoute } from './reviewers.ts';

/**
 * Whose votes count, and whether they are enough: the quorum of different people approve, and different people among
 * them fill every place of the needs of route and request. A person fills one place.
 */

/** The progress of an approval. */
export interface Progress {
  /** How many different people approve. */
  readonly have: number;
  /** How many have to: at least as many as there are places. */
  readonly needed: number;
  readonly needs: readonly NeedProgress[];
  /** Places that are still open. */
  readonly open: readonly OpenPlaces[];
  readonly isEnough: boolean;
}

interface NeedProgress {
  readonly name: string;
  readonly count: number;
  readonly have: number;
}

/** Open places, for anyone who meets one of these needs: a person filling one of them could move to another place. */
export interface OpenPlaces {
  readonly count: number;
  readonly of: readonly string[];
}

/** The number of approvals needed: a request can raise the route's quorum, not lower it. */
export function quorumOf(approval: Approval, route: PresentRoute | undefined): number {
  return Math.max(approval.quorum ?? 1, route?.quorum ?? 1);
}

/** The needs of the route and the request; people it was escalated to can fill them too. */
export function needsOf(
  { needs = [] }: Pick<Approval, 'needs'>,
  route: PresentRoute | undefined,
): readonly Need[] {
  const { need: own = [], escalatedTo = [] } = route ?? {};
  return withEscalated(needs.length === 0 ? own : [...own, ...needs], escalatedTo);
}

/** The ballots for an action, one for each person: the later one counts. */
export function votesFor(action: Action, ballots: readonly Ballot[]): readonly Ballot[] {
  const cast = ballots.filter((ballot) => ballot.action === action);
  const isLast = (ballot: Ballot, at: number) =>
    !cast.slice(at + 1).some((later) => isSamePerson(later, ballot));
  return cast.filter(isLast);
}

/** The same, as Slack user ids. */
export function votersFor(action: Action, ballots: readonly Ballot[]): string[] {
  return votesFor(action, ballots).map(({ user }) => user);
}

/**
 * One person is one vote, whichever accounts they use in Slack or the service; so are an absent person and their
 * substitute.
 */
export function isSamePerson(one: Ballot, other: Ballot): boolean {
  const others = peopleIn(other);
  return peopleIn(one).some((each) => others.some((person) => isOne(each, person)));
}

/** Who cast it, and for whom. */
export function peopleIn(ballot: Ballot): readonly Giver[] {
  return ballot.for === undefined ? [ballot] : [ballot, ballot.for];
}

/** Both are the same person, as far as is known. */
export function isOne(one: Giver, other: Giver): boolean {
  const isOneAccount = one.account !== undefined && one.account === other.account;
  const isSentAsOne = one.serviceUser !== undefined && one.serviceUser === other.serviceUser;
  return isOneAccount || isSentAsOne || share(slackIdsOf(one), slackIdsOf(other));
}

export function slackIdsOf({ user, alsoKnownAs = [] }: Giver): readonly string[] {
  return [user, ...alsoKnownAs];
}

/** For whom ballots were cast: user ids by user id; undefined: everybody for themselves. */
export function placesIn(ballots: readonly Ballot[]): Readonly<Record<string, string>> | undefined {
  const places = ballots.flatMap(({ user, for: giver }) =>
    giver === undefined ? [] : [[user, giver.user] as const],
  );
  return places.length === 0 ? undefined : Object.fromEntries(places);
}

/** A person's approval that counts, from any of their Slack accounts. */
export function approvalOf({ ballots }: Approval, user: string): Ballot | undefined {
  return ballots.find((each) => each.action === 'approve' && slackIdsOf(each).includes(user));
}

/** All approvals by that person, including accounts that turned out to be theirs. */
export function approvalsOf(approval: Approval, user: string): readonly Ballot[] {
  const own = approvalOf(approval, user);
  return approval.ballots.filter(
    (each) => own !== undefined && each.action === 'approve' && isOne(each, own),
  );
}

export function share(some: readonly string[], others: readonly string[]): boolean {
  return some.some((each) => others.includes(each));
}

/** The progress with these ballots, as their people were last authorized. */
export function progressOf(
  approval: Approval,
  route: PresentRoute | undefined,
  ballots: readonly Ballot[] = approval.ballots,
): Progress {
  const votes = votesFor('approve', ballots);
  const needs = needsOf(approval, route);
  const places = assign(needs, votes, canFill);
  const all = needs.reduce((sum, { count }) => sum + count, 0);
  const needed = Math.max(quorumOf(approval, route), all);
  const open = openPlaces(places, canFill);
  return {
    have: votes.length,
    needed,
    needs: places.map(({ place: { name, count }, filledBy }) => ({
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
  approval: Approval,
  { user, action }: Ballot,
  route: PresentRoute | undefined,
): readonly string[] | undefined {
  const needs = needsOf(approval, route);
  if (needs.length === 0 || action === 'reject') return undefined;
  const votes = votesFor('approve', approval.ballots);
  const isDecider = (ballot: Ballot) => ballot.user === user;
  const inTurn = [...votes.filter(isDecider), ...votes.filter((each) => !isDecider(each))];
  const filling = assign(needs, inTurn, canFill).flatMap(({ filledBy }) => filledBy);
  const others = inTurn.filter((each) => !filling.includes(each));
  const further = others.slice(0, Math.max(0, quorumOf(approval, route) - filling.length));
  const used = [...filling, ...further];
  return votes.filter((each) => used.includes(each) || isDecider(each)).map((each) => each.user);
}

/** Whether an approval reduces the number of people missing. */
export function isHelping(
  approval: Approval,
  ballot: Ballot,
  route: PresentRoute | undefined,
): boolean {
  const others = approval.ballots.filter((each) => !isSamePerson(each, ballot));
  return missingIn(progressOf(approval, route)) < missingIn(progressOf(approval, route, others));
}

/** How many more people have to approve, if each can fill what is missing. */
function missingIn({ have, needed, open }: Progress): number {
  return Math.max(needed - have, openIn(open));
}

/** How many approvals are missing in addition to the open places. */
export function furtherIn({
  have,
  needed,
  open,
}: Pick<Progress, 'have' | 'needed' | 'open'>): number {
  return needed - have - openIn(open);
}

/** The number of open places. */
export function openIn(open: Progress['open']): number {
  return open.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Whether a ballot can fill a need, by the ids and groups its person was last authorized with; for a substitute's, the
 * absent person's.
 */
export function canFill(ballot: Ballot, { of }: Need): boolean {
  const ids = slackIdsOf(ballot.for ?? ballot);
  return share(of.users, ids) || share(of.groups, ballot.through ?? []);
}

/** The open places: with the needs of people who could move there, as their own places would then be open. */
function openPlaces<Person>(
  places: ReturnType<typeof assign<Need, Person>>,
  canFill: (person: Person, need: Need) => boolean,
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
  needs: readonly Need[],
  people: readonly string[],
  isIn: (user: string, group: string) => boolean,
): readonly string[] {
  const canBe = (user: string, { of: { users, groups } }: Need) =>
    users.includes(user) || groups.some((group) => isIn(user, group));
  const open = openPlaces(assign(needs, people, canBe), canBe);
  return [...new Set(open.flatMap(({ of }) => of))];
}

/** Ids of all user groups in the needs. */
export function groupsIn(needs: readonly { readonly of: NamedPeople }[]): readonly string[] {
  return [...new Set(needs.flatMap(({ of }) => of.groups))];
}
