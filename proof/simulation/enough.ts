import { type Case, peopleIn } from './case.ts';
import type { NeedSeen } from './evidence.ts';
import { canFillAll } from './places.ts';

/** Whether the approvals of some people are enough: for the quorum, and for every place that has to be filled. */

/** Ids in Slack of one person. */
type Person = readonly string[];

export interface Span {
  readonly from: number;
  readonly until: number;
}

export function needsOf({ approval }: Case): readonly NeedSeen[] {
  return approval.needs ?? [];
}

/**
 * Whether they are enough: by different people, each of whom was of those that their place wants at some moment in the
 * span. `knownAt`: whose accounts are one person's is judged by what could be known then.
 */
export function areEnough(
  seen: Case,
  ids: readonly string[],
  span: Span,
  knownAt = span.until,
): boolean {
  const persons = personsIn(seen, ids, knownAt);
  const fits = (person: Person, { of }: NeedSeen) =>
    othersOf(seen, person, span.until).some((each) => of.users.includes(each)) ||
    person.some((each) => of.groups.some((group) => wasIn(seen, each, group, span)));
  return persons.length >= seen.approval.quorum && canFillAll(needsOf(seen), persons, fits);
}

function personsIn({ run }: Case, ids: readonly string[], at: number): Person[] {
  return peopleIn(run, ids, at).map((one) =>
    ids.filter((each) => peopleIn(run, [one, each], at).length === 1),
  );
}

/** All accounts of that person, also those with which they pressed nothing. */
export function othersOf({ run }: Case, person: Person, at: number): Person {
  const all = new Set([...person, ...run.rights.map((each) => each.person)]);
  return [...all].filter((each) => person.some((own) => peopleIn(run, [own, each], at).length < 2));
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
    all.every((each) => each.isIn || each.from > span.until || each.to < span.from)
  );
}

function spansOf(all: Case['run']['memberships'], person: string, group: string) {
  const own = (all ?? []).filter((each) => each.person === person && each.group === group);
  return own.map(({ at, isIn }, place) => ({
    isIn,
    from: at,
    to: own[place + 1]?.at ?? Number.POSITIVE_INFINITY,
  }));
}
