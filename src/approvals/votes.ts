import type { NamedPeople, Need } from '../core/config/config.ts';
import { withEscalated } from '../core/config/needs.ts';
import { assign } from '../core/lib/assign.ts';
import type { Action, Approval, Ballot, Giver } from './approval.ts';
import type { PresentRoute } from './reviewers.ts';

/**
 * Whose votes count, and whether they are enough: so many different people approve (the quorum), and
 * different people among them fill every place that the route and the request need filled. A person fills
 * one place.
 */

/** How far approvals have come. */
export interface Progress {
  /** How many different people approve. */
  readonly have: number;
  /** How many have to: as many as there are places, at least. */
  readonly needed: number;
  readonly needs: readonly NeedProgress[];
  /** Places that nobody fills yet. */
  readonly open: readonly OpenPlaces[];
  readonly isEnough: boolean;
}

interface NeedProgress {
  readonly name: string;
  readonly count: number;
  readonly have: number;
}

/** So many places, open to whoever fills any of these needs: somebody there can fill another place instead. */
export interface OpenPlaces {
  readonly count: number;
  readonly of: readonly string[];
}

/** How many approvals it takes: the request may ask for more than the route, never for fewer. */
export function quorumOf(approval: Approval, route: PresentRoute | undefined): number {
  return Math.max(approval.quorum ?? 1, route?.quorum ?? 1);
}

/** The route's needs, and those that the request adds, with whoever it was escalated to. */
export function needsOf(
  { needs = [] }: Pick<Approval, 'needs'>,
  route: PresentRoute | undefined,
): readonly Need[] {
  const { need: own = [], escalatedTo = [] } = route ?? {};
  return withEscalated(needs.length === 0 ? own : [...own, ...needs], escalatedTo);
}

/** Ballots, one of each person: of two ballots of one person the later one counts. */
export function votesFor(action: Action, ballots: readonly Ballot[]): readonly Ballot[] {
  const cast = ballots.filter((ballot) => ballot.action === action);
  const isLast = (ballot: Ballot, at: number) =>
    !cast.slice(at + 1).some((later) => isSamePerson(later, ballot));
  return cast.filter(isLast);
}

/** The same by their Slack user ids. */
export function votersFor(action: Action, ballots: readonly Ballot[]): string[] {
  return votesFor(action, ballots).map(({ user }) => user);
}

/**
 * One person is one vote, whichever of their accounts they press with, in Slack or in the service; so are somebody and
 * whoever decides in their place.
 */
export function isSamePerson(one: Ballot, other: Ballot): boolean {
  const others = peopleIn(other);
  return peopleIn(one).some((each) => others.some((person) => isOne(each, person)));
}

/** Who casts it, and in whose place. */
export function peopleIn(ballot: Ballot): readonly Giver[] {
  return ballot.for === undefined ? [ballot] : [ballot, ballot.for];
}

/** Both are the same human being, as far as is known. */
export function isOne(one: Giver, other: Giver): boolean {
  const isOneAccount = one.account !== undefined && one.account === other.account;
  const isSentAsOne = one.serviceUser !== undefined && one.serviceUser === other.serviceUser;
  return isOneAccount || isSentAsOne || share(slackIdsOf(one), slackIdsOf(other));
}

export function slackIdsOf({ user, alsoKnownAs = [] }: Giver): readonly string[] {
  return [user, ...alsoKnownAs];
}

/** In whose place ballots were cast: user ids by user id; undefined: each in their own. */
export function placesIn(ballots: readonly Ballot[]): Readonly<Record<string, string>> | undefined {
  const places = ballots.flatMap(({ user, for: giver }) =>
    giver === undefined ? [] : [[user, giver.user] as const],
  );
  return places.length === 0 ? undefined : Object.fromEntries(places);
}

/** Somebody's approval that counts, cast with whichever of their Slack accounts. */
export function approvalOf({ ballots }: Approval, user: string): Ballot | undefined {
  return ballots.find((each) => each.action === 'approve' && slackIdsOf(each).includes(user));
}

/** All approvals of that person, also of accounts that turned out to be theirs. */
export function approvalsOf(approval: Approval, user: string): readonly Ballot[] {
  const own = approvalOf(approval, user);
  return approval.ballots.filter(
    (each) => own !== undefined && each.action === 'approve' && isOne(each, own),
  );
}

export function share(some: readonly string[], others: readonly string[]): boolean {
  return some.some((each) => others.includes(each));
}

/** How far these ballots come, as their people were last authorized. */
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
 * Whose approvals the decision that a ballot makes uses, by Slack user ids: who fills a place, and as many others as the
 * quorum takes. undefined: all, without needs, or of a reject.
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

/** Whether fewer people are missing with an approval than without it. */
export function isHelping(
  approval: Approval,
  ballot: Ballot,
  route: PresentRoute | undefined,
): boolean {
  const others = approval.ballots.filter((each) => !isSamePerson(each, ballot));
  return missingIn(progressOf(approval, route)) < missingIn(progressOf(approval, route, others));
}

/** How many more people have to approve, if each of them can do what is missing. */
function missingIn({ have, needed, open }: Progress): number {
  return Math.max(needed - have, openIn(open));
}

/** How many approvals are missing besides those of open places. */
export function furtherIn({
  have,
  needed,
  open,
}: Pick<Progress, 'have' | 'needed' | 'open'>): number {
  return needed - have - openIn(open);
}

/** How many places that is. */
export function openIn(open: Progress['open']): number {
  return open.reduce((sum, { count }) => sum + count, 0);
}

/**
 * Whether somebody counts for a need, by the ids and groups that they were last authorized with; whoever decides in somebody's
 * place by those of that person.
 */
export function canFill(ballot: Ballot, { of }: Need): boolean {
  const ids = slackIdsOf(ballot.for ?? ballot);
  return share(of.users, ids) || share(of.groups, ballot.through ?? []);
}

/** What is left open: whoever could take the place of somebody who fills an open one then is wanted, too. */
function openPlaces<Person>(
  places: ReturnType<typeof assign<Need, Person>>,
  canFill: (person: Person, need: Need) => boolean,
): readonly OpenPlaces[] {
  const open = new Map<string, OpenPlaces>();
  for (const { place: need, filledBy } of places) {
    const count = need.count - filledBy.length;
    if (count === 0) continue;
    const wanted = new Set([need]);
    // Grows while it is gone through.
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
 * Names of the needs that together want more people than there are; by Slack ids, `isIn` telling who is in a user
 * group.
 */
export function lackingIn(
  needs: readonly Need[],
  people: readonly string[],
  isIn: (user: string, group: string) => boolean,
): readonly string[] {
  const canBe = (user: string, { of: { users, groups } }: Need) =>
    users.includes(user) || groups.some((group) => isIn(user, group));
  const open = openPlaces(assign(needs, people, canBe), canBe);
  return [...new Set(open.flatMap(({ of }) => of))];
}

/** Ids of all user groups that needs name. */
export function groupsIn(needs: readonly { readonly of: NamedPeople }[]): readonly string[] {
  return [...new Set(needs.flatMap(({ of }) => of.groups))];
}
