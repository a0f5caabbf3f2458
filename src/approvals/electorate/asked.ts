import { type NamedPeople, union } from '../../core/config/values.ts';
import type { Approval, Ballot, Gone } from '../approval.ts';
import { absenceOf, growsLater, type RequestRules, type WhoIsAway } from './clause.ts';
import { type Electorate, EVER, electorateOf } from './electorate.ts';
import { askersOf } from './own-request.ts';
import { furtherIn, openIn, peopleFor, tally } from './tally.ts';
import { peopleIn, slackIdsOf } from './votes.ts';

/**
 * Whom a request's messages mention: those asked who still have something to decide. Not the requester, quiet reviewers,
 * or people who are away or gone.
 */

/** An approval's ballots, and whose approvals are said to count. */
export interface Cast {
  readonly ballots: readonly Ballot[];
  readonly approvedBy: readonly string[];
}

/** Of these people. */
export function askedNow(electorate: Electorate, named: NamedPeople, cast: Cast): NamedPeople {
  const done = doneIn(electorate, cast);
  const present = presentOf(electorate, named, done);
  if (!areAbsentAsked(electorate, cast.ballots)) return present;
  return union(askableOf(electorate, named, done), present);
}

/** Absent people are only asked if too few are left and no escalation is to come. */
export function areAbsentAsked(electorate: Electorate, ballots: readonly Ballot[]): boolean {
  return !growsLater(electorate) && isShortOfPeople(electorate, ballots);
}

/** The people who still have something to decide; a group with absent members is replaced by its members. */
function undecidedOf(
  { silent, membersOf }: Electorate,
  { users, groups }: NamedPeople,
  done: readonly string[],
): NamedPeople {
  const left = [...done, ...silent.users];
  const asked = groups.filter((group) => !silent.groups.includes(group));
  const all = new Set([...users, ...asked.flatMap((group) => membersOf[group] ?? [])]);
  return {
    users: [...all].filter((user) => !left.includes(user)),
    groups: asked.filter((group) => membersOf[group] === undefined),
  };
}

/** The same, without people who cannot decide any more. */
function askableOf(
  electorate: Electorate,
  named: NamedPeople,
  done: readonly string[],
): NamedPeople {
  const { users, groups } = undecidedOf(electorate, named, done);
  return { users: users.filter((user) => !isGone(electorate, user)), groups };
}

export function isGone({ gone }: Electorate, user: string): boolean {
  return gone?.[user] !== undefined;
}

/** The same, with absent people replaced by their substitutes, if any. */
function presentOf(
  electorate: Electorate,
  named: NamedPeople,
  done: readonly string[],
): NamedPeople {
  const { hasSubstitutes, silent } = electorate;
  const askable = askableOf(electorate, named, done);
  const users = askable.users.flatMap((user) => {
    const absence = absenceOf(electorate, user);
    if (absence === undefined) return [user];
    const { substitute } = absence;
    const isThere = substitute !== undefined && !isGone(electorate, substitute);
    return isThere && hasSubstitutes ? [substitute] : [];
  });
  const left = [...done, ...silent.users];
  return { ...askable, users: [...new Set(users)].filter((user) => !left.includes(user)) };
}

/** Because people are away or gone, fewer can be mentioned than still have to approve. */
export function isShortOfPeople(electorate: Electorate, ballots: readonly Ballot[]): boolean {
  const { away, gone, asked } = electorate;
  if (away.length === 0 && gone === undefined) return false;
  const { votes, open, have, needed } = tally(electorate, ballots);
  const done = doneIn(electorate, { ballots, approvedBy: votes.map(({ user }) => user) });
  const isShort = (named: NamedPeople, count: number) => {
    const left = countIn(presentOf(electorate, named, done));
    return left < count && left < countIn(undecidedOf(electorate, named, done));
  };
  // Each person fills only one place.
  const together = { of: open.flatMap(({ of }) => of), count: openIn(open) };
  return (
    [...open, together].some(({ of, count }) => isShort(peopleFor(electorate, of), count)) ||
    (!asked.channel && furtherIn({ have, needed, open }) > 0 && isShort(asked, needed - have))
  );
}

/** A group may have any number of members. */
function countIn({ users, groups }: NamedPeople): number {
  return groups.length > 0 ? Number.POSITIVE_INFINITY : users.length;
}

/** People with nothing left to decide: the requesters and those who approved, by all of their ids. */
function doneIn(electorate: Electorate, { ballots, approvedBy }: Cast): readonly string[] {
  const cast = ballots.filter(({ user }) => approvedBy.includes(user));
  const askers = electorate.selfApproval === true ? [] : askersOf(electorate);
  return [...askers, ...approvedBy, ...cast.flatMap(peopleIn).flatMap(slackIdsOf)];
}

/** Somebody who is not asked can still decide: a quiet reviewer, or a requester. */
export function areOthersLeft(electorate: Electorate, cast: Cast): boolean {
  const isAskerLeft = (user: string) =>
    electorate.asked.users.includes(user) && !cast.approvedBy.includes(user);
  const isLoud = electorate.selfApproval === 'loud';
  return (isLoud && askersOf(electorate).some(isAskerLeft)) || areSilentLeft(electorate, cast);
}

/** Some of those who are not asked can still decide. */
export function areSilentLeft(electorate: Electorate, cast: Cast): boolean {
  const { silent, isNarrowed, asked } = electorate;
  const done = doneIn(electorate, cast);
  const isAsked = (user: string) => asked.groups.length > 0 || asked.users.includes(user);
  return (
    silent.groups.some((group) => !isNarrowed || asked.groups.includes(group)) ||
    silent.users.some((user) => !done.includes(user) && (!isNarrowed || isAsked(user)))
  );
}

/** Everybody it may ask by name, and all user groups, now or once people are added. */
export function askedEver(
  request: RequestRules,
  { route }: Pick<Electorate, 'route'>,
): NamedPeople {
  const { asked, places, hastenable } = electorateOf(request, { route, asOf: EVER });
  return union(asked, ...places.map(({ of }) => of), ...hastenable);
}

/** Everybody it may mention by name, if nobody were gone: also members and substitutes of absent people. */
export function mentionedEver(
  { users }: NamedPeople,
  { people = [], groups = {} }: WhoIsAway,
): readonly string[] {
  const substitutes = people.flatMap(({ substitute }) => substitute ?? []);
  return [...users, ...Object.values(groups).flat(), ...substitutes];
}

/** Who is not mentioned because they cannot decide; empty: nobody. */
export function unmentioned(approval: Approval, electorate: Electorate): Gone {
  const { gone, away: people, membersOf: groups } = electorate;
  if (gone === undefined) return {};
  const mentioned = mentionedEver(askedEver(approval, electorate), { people, groups });
  return Object.fromEntries(Object.entries(gone).filter(([user]) => mentioned.includes(user)));
}
