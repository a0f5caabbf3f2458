import { isPlaceShared } from '../absent.ts';
import {
  type Case,
  hadRightThroughout,
  mayBeLost,
  pressesBy,
  rightsOf,
  violation,
  wentBackBetween,
} from '../case.ts';
import { claimsOf, saidIn } from '../claims.ts';
import { areEnough } from '../enough.ts';
import type { TakeBack, Told, Violation } from '../evidence.ts';
import { sentAt } from './decisions.ts';
import { NOT_COUNTED } from './spent.ts';

/** A person who takes an approval back is told the result, and it is true. */
export function takingBack(seen: Case): Violation[] {
  return [
    ...seen.takeBacks.flatMap((each) => unanswered(seen, each)),
    ...seen.told.flatMap((each) => lies(seen, each)),
  ];
}

export const TAKEN_BACK = /^You took back your approval of /;
const NOTHING = /^You have no approval of [^\n]* to take back\./;
const DECIDING =
  /\bis being decided with your approval\.|\bcan no longer be (?:taken back|undone)\./;
/** It arrived after a newer press of theirs. */
export const EARLIER = /^You have decided on [^\n]* since, so this earlier press was not counted\./;
/** That an approval counts, or is there, and more are needed. */
export const PROGRESS =
  /^Your approval of [^\n]*(?: counts[.:]| is recorded\. )|^You already approved /;

/**
 * Whether somebody pressed Approve before this moment, and has not taken it back since, according to what they were
 * told.
 */
export function stands(seen: Case, person: string, until: number): boolean {
  return standsSince(seen, person, until) !== undefined;
}

/** When they first pressed it. */
export function standsSince(seen: Case, person: string, until: number): number | undefined {
  return pressesBy(seen, person, 'approve', until).find(
    ({ acknowledgedAt }) =>
      acknowledgedAt === null || !isTakenBack(seen, person, acknowledgedAt, until),
  )?.at;
}

/** They pressed after it was stored, and read before the moment that it does not count. */
function isTakenBack(seen: Case, person: string, since: number, until: number): boolean {
  const own = seen.takeBacks.filter((each) => each.person === person && each.at <= until);
  const first = own.findIndex(({ at }) => at > since);
  const [press] = own.slice(first);
  if (first < 0 || press === undefined || wentBackBetween(seen, since, until)) return false;
  // Earlier ones were answered with the same text, perhaps more than once.
  const read = seen.told.filter(
    (each) => each.person === person && each.at < until && TAKEN_BACK.test(each.text),
  );
  return read.slice(first).some(({ at }) => at > press.at);
}

function unanswered(seen: Case, { person, at, acknowledgedAt, shown }: TakeBack): Violation[] {
  if (acknowledgedAt === null) {
    if (shown !== null) return [];
    const what = 'a press to take an approval back showed nothing';
    return [violation(seen, 'unanswered', what, { person, at })];
  }
  if (mayBeLost(seen, acknowledgedAt, at) || isGone(seen, person, at)) return [];
  const isTold = seen.told.some(
    (each) => each.person === person && each.at >= at && isAnswer(each.text),
  );
  const own = seen.unnamed.get(person) ?? [];
  if (isTold || own.some((each) => each.at >= at && each.at <= acknowledgedAt + SAID_BY_MS))
    return [];
  const what = 'taking an approval back was acknowledged, and they read nothing';
  return [violation(seen, 'unanswered', what, { person, at })];
}

const SAID_BY_MS = 1_000;

function isAnswer(text: string): boolean {
  const said = saidIn(text);
  const isOfIt = [TAKEN_BACK, NOTHING, DECIDING, EARLIER].some((each) => each.test(text));
  const isOther = /\bwithdrawn\b|^It is not known whether your click on /.test(text);
  return isOfIt || isOther || said.status !== null || said.notSent;
}

/** Nobody can tell a person who left Slack. */
function isGone({ run }: Case, person: string, since: number): boolean {
  const own = rightsOf(run, person);
  const before = own.findLast(({ at, approval }) => approval === undefined && at <= since);
  return before?.gone === true || own.some(({ at, gone }) => gone && at >= since);
}

function lies(seen: Case, told: Told): Violation[] {
  const { person, at, text } = told;
  const wrong: string[] = [];
  const pressed = pressesBy(seen, person, 'approve', at);
  if (TAKEN_BACK.test(text) && !isAsked(seen, told))
    wrong.push('that their approval is taken back, and they had not asked for that');
  if (TAKEN_BACK.test(text) && wasSentBefore(seen, told))
    wrong.push('that their approval is taken back, when it was sent already, and decided');
  if (NOTHING.test(text) && hadSomething(seen, told))
    wrong.push('that they have no approval that counts, when they had');
  if (EARLIER.test(text) && actsBy(seen, told) < 2)
    wrong.push('that they have decided since, and they had pressed only once');
  const all = seen.presses.filter((each) => each.at <= at && each.action !== 'check');
  if (DECIDING.test(text) && all.length === 0)
    wrong.push('that it is being decided, and nobody had pressed anything');
  if (TAKEN_BACK.test(text) && pressed.length === 0 && !hasSecond(seen, person))
    wrong.push('that their approval is taken back, and they had approved nothing');
  return wrong.map((what) =>
    violation(seen, 'false', `${person} was told ${what}: “${text}”`, { person, at }),
  );
}

/** How often they had pressed anything by then; what opened a form may count on its own. */
function actsBy(seen: Case, { person, at }: Told): number {
  const back = seen.takeBacks.filter((each) => each.person === person && each.at <= at);
  const presses = pressesBy(seen, person, null, at);
  const openings = presses.filter(({ isWithReason }) => isWithReason === true);
  return presses.length + openings.length + back.length;
}

/** By them, or with another account of theirs. */
function isAsked({ takeBacks, run }: Case, { person, at }: Told): boolean {
  const accounts = (who: string) =>
    run.rights.flatMap((each) => (each.person === who ? (each.serviceUser ?? []) : []));
  const own = accounts(person);
  return takeBacks.some(
    (each) =>
      each.at <= at &&
      (each.person === person || accounts(each.person).some((account) => own.includes(account))),
  );
}

/** A decision in flight cannot be taken back, unless its result was reported as unknown. */
function wasSentBefore(seen: Case, { person, at: until }: Told): boolean {
  const { approval, takeBacks, messages } = seen;
  const press = takeBacks.find((each) => each.person === person && each.at <= until);
  if (press === undefined || !stands(seen, person, press.at)) return false;
  // Its message may say so later than they read it.
  const isUnknown = messages.some(({ versions }) =>
    versions.some((version) => claimsOf(version).unknown),
  );
  const sent = approval.calls.find(
    (call) =>
      call.action === 'approve' &&
      sentAt(call) <= press.at &&
      approval.effects.some(({ how, at }) => how === 'interface' && at === call.at),
  );
  if (sent === undefined || isUnknown || wentBackBetween(seen, sentAt(sent), until)) return false;
  const last = pressesBy(seen, person, 'approve', sentAt(sent)).at(-1);
  const isDropped = seen.told.some(
    (each) =>
      each.person === person &&
      each.at > (last?.at ?? 0) &&
      each.at < sentAt(sent) &&
      NOT_COUNTED.test(each.text),
  );
  return !isDropped;
}

/** They may have approved with another account of theirs. */
function hasSecond({ run }: Case, person: string): boolean {
  const own = new Set(
    run.rights.filter((each) => each.person === person).map((each) => each.serviceUser),
  );
  return run.rights.some((each) => each.person !== person && own.has(each.serviceUser));
}

/**
 * They were told that it counts before they pressed, once, and could decide all the time; and all who pressed are not
 * enough, so no decision could have ended their approval.
 */
function hadSomething(seen: Case, { person, at: until }: Told): boolean {
  const { approval, presses, run } = seen;
  const own = seen.takeBacks.filter((each) => each.person === person && each.at <= until);
  const [first] = own;
  const [press] = pressesBy(seen, person, 'approve', until);
  if (first === undefined || press === undefined || own.length > 1) return false;
  const isTold = seen.told.some(
    (each) => each.person === person && each.at < first.at && PROGRESS.test(each.text),
  );
  const before = presses.filter((each) => each.at <= until);
  const all = before.map((each) => each.person);
  const mayBeDecided =
    before.some(({ action }) => action === 'reject') ||
    areEnough(seen, all, { from: approval.madeAt, until });
  const isDoubtful = run.doubts?.some(({ from, to }) => from <= until && to >= press.at) === true;
  const isOnlyTheirs = !hasSecond(seen, person) && !isPlaceShared(seen, person);
  if (!isTold || mayBeDecided || isDoubtful || !isOnlyTheirs) return false;
  return (
    hadRightThroughout(seen, person, press.at, until) && !wentBackBetween(seen, press.at, until)
  );
}
