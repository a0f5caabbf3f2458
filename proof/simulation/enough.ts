import { giversOf } from './absent.ts';
import { areOne, type Case, everybodyIn, rightsOf } from './case.ts';
import type { NeedSeen } from './evidence.ts';
import { canFillAll } from './places.ts';

/** Whether the approvals of some people are enough: for the quorum, and for every place that has to be filled. */

/** All Slack ids of one person. */
type Person = readonly string[];

export interface Span {
  readonly from: number;
  readonly until: number;
}

export function needsOf({ approval }: Case): readonly NeedSeen[] {
  return approval.needs ?? [];
}

/**
 * Whether they, or some of them, are enough: different people, each of whom fitted their place at some moment of the
 * span. `knownAt`: which accounts are one person's is judged by what could be known then.
 */
export function areEnough(
  seen: Case,
  ids: readonly string[],
  span: Span,
  knownAt = span.until,
): boolean {
  return choicesOf(seen, ids).some((each) => areAllEnough(seen, each, span, knownAt));
}

function areAllEnough(seen: Case, ids: readonly string[], span: Span, knownAt: number): boolean {
  const persons = personsIn(seen, ids, knownAt);
  const { escalates = [] } = seen.approval;
  // People it is escalated to can cover every need.
  const isAny = (id: string) => escalates.some(({ users }) => users.includes(id));
  const fits = (person: Person, { of }: NeedSeen) =>
    person.some(isAny) ||
    othersOf(seen, person, span.until).some((each) => of.users.includes(each)) ||
    of.users.some((each) => person.some((own) => mayBeOne(seen, own, each, knownAt))) ||
    person.some((each) => of.groups.some((group) => wasIn(seen, each, group, span)));
  return persons.length >= seen.approval.quorum && canFillAll(needsOf(seen), persons, fits);
}

/**
 * For each that counts, whose place it fills. Accounts of one person are one, and so are a person and somebody who
 * pressed in their place.
 */
function personsIn(seen: Case, ids: readonly string[], at: number): Person[] {
  const { run } = seen;
  const votes = votesIn(seen, ids);
  const isOne = (one: Person, other: Person) =>
    one.some((id) => other.some((each) => areOne(run, id, each, at)));
  return together(votes, ({ people }) => people, isOne).map((all) =>
    all.flatMap(({ places }) => places),
  );
}

/** How many different people that is, at most. */
export function countOf(seen: Case, ids: readonly string[], at: number): number {
  return Math.max(...choicesOf(seen, ids).map((each) => personsIn(seen, each, at).length));
}

/**
 * All of them, and all without some of those who pressed in the place of others: one who fills a place can be in the way
 * of two who do not need it.
 */
function choicesOf(seen: Case, ids: readonly string[]): readonly (readonly string[])[] {
  const substitutes = ids.filter((id) => giversOf(seen, id).some((giver) => giver !== null));
  return substitutes.reduce<readonly (readonly string[])[]>(
    (choices, left) => choices.flatMap((all) => [all, all.filter((id) => id !== left)]),
    [ids],
  );
}

interface Vote {
  readonly people: Person;
  readonly places: Person;
}

function votesIn(seen: Case, ids: readonly string[]): Vote[] {
  return ids.map((id) => {
    const givers = giversOf(seen, id);
    const places = givers.map((giver) => giver ?? id);
    // If there are two ballots, or the store may have forgotten one, it is not known which one counts.
    const isKnown = givers.length === 1 && seen.run.lapses.length === 0;
    return { people: isKnown ? [id, ...places] : [id], places };
  });
}

/** Groups of those that are connected, directly or through others. */
function together<Item>(
  items: readonly Item[],
  of: (item: Item) => Person,
  isOne: (one: Person, other: Person) => boolean,
): Item[][] {
  const found: Item[][] = [];
  for (const item of items) {
    const own = found.filter((all) => all.some((each) => isOne(of(each), of(item))));
    for (const each of own) found.splice(found.indexOf(each), 1);
    found.push([...own.flat(), item]);
  }
  return found;
}

/** All accounts of that person, including those that pressed nothing. */
export function othersOf({ run }: Case, person: Person, at: number): Person {
  const all = new Set([...person, ...everybodyIn(run)]);
  return [...all].filter((each) => person.some((own) => areOne(run, own, each, at)));
}

/** All accounts that may have been that person's when they were looked up last. */
export function othersThatMayBeOf(seen: Case, person: string, until: number): Person {
  return everybodyIn(seen.run).filter((each) => mayBeOne(seen, person, each, until));
}

/** Both may have had one account in the service when the last of them was looked up. */
function mayBeOne({ run }: Case, one: string, other: string, until: number): boolean {
  const from = until - run.limits.rightMs;
  const usersOf = (id: string) => {
    const own = rightsOf(run, id);
    const first = own.findLast((each) => each.at <= from);
    const later = own.filter((each) => each.at > from && each.at <= until);
    return [first, ...later].flatMap((each) => each?.serviceUser ?? []);
  };
  const users = usersOf(other);
  return usersOf(one).some((each) => users.includes(each));
}

function wasIn({ run }: Case, person: string, group: string, { from, until }: Span): boolean {
  return spansOf(run.memberships, person, group).some(
    (each) => each.isIn && each.from <= until && each.to >= from,
  );
}

export function wasInThroughout({ run }: Case, person: string, group: string, span: Span): boolean {
  const all = spansOf(run.memberships, person, group);
  return (
    all.length > 0 &&
    all.every((each) => each.isSurelyIn || each.from > span.until || each.to < span.from)
  );
}

function spansOf(all: Case['run']['memberships'], person: string, group: string) {
  const own = (all ?? []).filter((each) => each.person === person && each.group === group);
  return own.map(({ at, isIn, mayBeOut }, place) => ({
    isIn,
    isSurelyIn: isIn && mayBeOut !== true,
    from: at,
    to: own[place + 1]?.at ?? Number.POSITIVE_INFINITY,
  }));
}
