import {
  type Case,
  hadRightThroughout,
  peopleIn,
  postOf,
  violation,
  wentBackBetween,
} from '../case.ts';
import { wasInThroughout } from '../enough.ts';
import type { Violation } from '../evidence.ts';
import { canFillAll } from '../places.ts';

/** What is known of people and groups when it is counted may be a minute old, and its read in flight. */
const KNOWN_MS = 75_000;

const TOO_FEW = /Cannot be approved: (?:not enough people|\d+ approvals? )/;

/** No message says that too few people can approve, if enough could since before it was asked for. */
export function tooFew(seen: Case): Violation[] {
  const { approval, run } = seen;
  const from = approval.madeAt - KNOWN_MS;
  return seen.messages
    .filter((each) => postOf(each)?.startsWith('message'))
    .flatMap(({ versions }) => {
      const first = versions.find(({ blocks }) => TOO_FEW.test(JSON.stringify(blocks)));
      if (first === undefined || !wereEnough(seen, from, first.at)) return [];
      const isDoubtful = run.doubts?.some((each) => each.from <= first.at && each.to >= from);
      if (isDoubtful || wentBackBetween(seen, from, first.at)) return [];
      const what = 'its message said that too few people can approve it, and enough could';
      return [violation(seen, 'false', what, { at: first.at })];
    });
}

function wereEnough(seen: Case, from: number, until: number): boolean {
  const { reviewers, askers = [], needs = [], quorum } = seen.approval;
  const able = reviewers.filter(
    (each) => !askers.includes(each) && hadRightThroughout(seen, each, from, until),
  );
  const people = peopleIn(seen.run, able, until);
  const isIn = (person: string, { of }: (typeof needs)[number]) =>
    of.users.includes(person) ||
    of.groups.some((group) => wasInThroughout(seen, person, group, { from, until }));
  return people.length >= quorum && canFillAll(needs, people, isIn);
}
