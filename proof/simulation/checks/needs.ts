import { isPlaceShared } from '../absent.ts';
import {
  accountsOf,
  type Case,
  couldDecide,
  hadRightThroughout,
  mayBeLost,
  mayCount,
  pressesBy,
  violation,
  votersOf,
  wentBackBetween,
} from '../case.ts';
import { areEnough, needsOf, othersOf, wasInThroughout } from '../enough.ts';
import type { AuditSeen, NeedSeen, ServiceCall, Violation } from '../evidence.ts';
import { canFillAll } from '../places.ts';
import { sentAt, stoodStill } from './decisions.ts';
import { PROGRESS, stands, TAKEN_BACK } from './taking-back.ts';

/**
 * It is approved as soon as enough different people approve and different people of them fill every place, and not
 * before: judged by what people pressed and took back, and by the log. Everybody named for it was needed.
 */
export function needs(seen: Case): Violation[] {
  const { approval, takeBacks } = seen;
  if (needsOf(seen).length === 0 && takeBacks.length === 0) return [];
  const responds = approval.calls.filter(({ operation }) => operation === 'respond');
  return [
    ...responds.flatMap((call) => unfilled(seen, call)),
    ...notEnoughInLog(seen),
    ...misnamed(seen),
    ...waitsInVain(seen),
    ...wronglyUnfit(seen),
  ];
}

/** Approvals that are sent belong to people who had not taken them back, could decide, and fill all places. */
function unfilled(seen: Case, call: ServiceCall): Violation[] {
  const until = sentAt(call);
  const from = until - seen.run.limits.rightMs;
  if (call.action !== 'approve' || stoodStill(seen, from, until)) return [];
  const able = votersOf(seen).filter(
    (each) => stands(seen, each, until) && mayCount(seen, each, from, until),
  );
  if (areEnough(seen, able, { from, until })) return [];
  const what = `approve was sent when ${able.join(', ') || 'nobody'} approved, who are not enough: ${asked(seen)}`;
  return [violation(seen, 'false', what, { at: until })];
}

function asked(seen: Case): string {
  const { quorum } = seen.approval;
  return [
    `${quorum} in all`,
    ...needsOf(seen).map(({ name, count }) => `${count} of ${name}`),
  ].join(', ');
}

/** If the store never went back, the log has everything in order: whose approvals counted when it was decided. */
function notEnoughInLog(seen: Case): Violation[] {
  const { audit, run } = seen;
  if (audit === null || run.lapses.length > 0) return [];
  return seen.records.flatMap((record) => {
    const own = audit.filter((each) => each.record === record);
    return own.flatMap((entry, place) => {
      if (!isDecision(entry)) return [];
      const counted = countedIn(seen, own.slice(0, place));
      const span = { from: seen.approval.madeAt, until: Number.POSITIVE_INFINITY };
      if (decidedAt(seen).some((at) => areEnough(seen, counted, span, at))) return [];
      const what = `by the log ${counted.join(', ') || 'nobody'} had approved when it was decided, who are not enough: ${asked(seen)}`;
      return [violation(seen, 'false', what, { person: entry.actor })];
    });
  });
}

/** When it was sent: each time, since others may decide after a refusal. For an own gate the log does not say. */
function decidedAt({ approval }: Case): readonly number[] {
  const sent = approval.calls.filter(({ action }) => action === 'approve').map(sentAt);
  return sent.length > 0 ? sent : [approval.madeAt];
}

function isDecision({ action, facts }: AuditSeen): boolean {
  if (action === 'approvals.respond') return facts.action === 'approve';
  const isOwn = facts.authority === 'gatepost' && !isRecalled(facts);
  return action === 'approvals.outcome' && isOwn && facts.status === 'APPROVED';
}

/** It was read from the message: the store may have lost the approvals behind it. */
function isRecalled(facts: AuditSeen['facts']): boolean {
  return facts.recalled === true || facts.readFrom === 'message';
}

/** People whose last approval was accepted and not taken back. */
function countedIn(seen: Case, entries: readonly AuditSeen[]): string[] {
  const counted = new Set<string>();
  const looked = new Map<string, number>();
  /** A waiting press is not in the log before it is taken back. */
  const mayWait = (person: string) =>
    pressesBy(seen, person, 'approve', Number.POSITIVE_INFINITY).length > (looked.get(person) ?? 0);
  for (const { action, actor, facts } of entries) {
    if (action === 'approvals.ballot' && facts.action === 'approve')
      looked.set(actor, (looked.get(actor) ?? 0) + 1);
    const isCast = action === 'approvals.ballot' && facts.refused === undefined;
    if (isCast && facts.action === 'approve') counted.add(actor);
    else if (isCast) counted.delete(actor);
    else if (action === 'approvals.taken-back' && !counted.delete(actor) && !mayWait(actor)) {
      // With another account of theirs.
      for (const each of othersOf(seen, [actor], Number.POSITIVE_INFINITY)) counted.delete(each);
    }
  }
  return [...counted];
}

/** A certain outcome names the people whose approvals were used: enough of them, and no more. */
function misnamed(seen: Case): Violation[] {
  const { audit, approval } = seen;
  const certain = (audit ?? []).filter(
    ({ action, facts }) =>
      action === 'approvals.outcome' &&
      facts.status === 'APPROVED' &&
      facts.credit === 'certain' &&
      !isRecalled(facts),
  );
  return certain.flatMap(({ actor }) => {
    const named = actor.split(',');
    const until = Number.POSITIVE_INFINITY;
    const wrong: string[] = [];
    if (!areEnough(seen, named, { from: approval.madeAt, until }, decidedAt(seen).at(-1)))
      wrong.push(`names ${actor}, who are not enough: ${asked(seen)}`);
    const places = needsOf(seen).reduce((sum, { count }) => sum + count, 0);
    // The person who decided is named, even if others fill all places.
    const more = named.some((each) => mayHaveDecided(seen, each) && mayFillNothing(seen, each))
      ? 1
      : 0;
    if (places > 0 && named.length > Math.max(places, approval.quorum) + more)
      wrong.push(`names ${actor}, more than were needed: ${asked(seen)}`);
    const sends = approval.calls.filter((each) => each.action === 'approve');
    for (const each of named) {
      const isUsed =
        approval.authority === 'gatepost'
          ? couldDecide(seen, each, 'approve', until)
          : sends.some((call) => stands(seen, each, sentAt(call)));
      if (!isUsed) wrong.push(`names ${each}, who had not approved, or had taken it back`);
    }
    return wrong.map((what) => violation(seen, 'false', `the log ${what}`));
  });
}

/** It was sent for them last, if that is known. */
function mayHaveDecided({ approval, run }: Case, person: string): boolean {
  const last = approval.calls.findLast(({ action }) => action === 'approve');
  const user = last?.serviceUser ?? null;
  return user === null || accountsOf(run, user).includes(person);
}

/** At some time they filled none of the needs, or nobody could read who is in the groups. */
function mayFillNothing(seen: Case, person: string): boolean {
  if (needsOf(seen).some(({ of }) => of.users.includes(person))) return false;
  const isByName = ({ action, actor, facts }: AuditSeen) =>
    action === 'approvals.ballot' && actor === person && facts.through === 'named';
  if (seen.audit?.some(isByName)) return true;
  const { madeAt, deadlineAt } = seen.approval;
  const span = { from: madeAt - REMEMBERED_MS, until: deadlineAt ?? Number.POSITIVE_INFINITY };
  return !needsOf(seen).some(({ of }) =>
    of.groups.some((group) => wasInThroughout(seen, person, group, span)),
  );
}

/**
 * An approval counts for the next press if its author was told so, did nothing since and could decide all the time. If
 * these are enough, it is decided, and nobody reads that more are needed.
 */
function waitsInVain(seen: Case): Violation[] {
  return seen.told.flatMap((told) => {
    const { person, at: until, text } = told;
    const [first] = pressesBy(seen, person, 'approve', until);
    if (!PROGRESS.test(text) || first === undefined || isUncertain(seen, first.at, until))
      return [];
    const others = seen.approval.reviewers.filter((each) => isCounted(seen, each, first.at, until));
    const mayPress = isCertain(seen, person, first.at, until);
    if (!mayPress || seen.presses.some((each) => each.action === 'reject')) return [];
    const span = { from: first.at - REMEMBERED_MS, until };
    const fits = (one: string, { of }: NeedSeen) =>
      of.users.includes(one) || of.groups.some((group) => wasInThroughout(seen, one, group, span));
    const all = [...new Set([...others, person])];
    const isEnough = all.length >= seen.approval.quorum && canFillAll(needsOf(seen), all, fits);
    if (!isEnough) return [];
    const what = `${person} was told that more have to approve, when ${all.join(', ')} had: ${asked(seen)}`;
    return [violation(seen, 'false', what, { person, at: until })];
  });
}

const UNFIT =
  /^Your approval of [^\n]* is recorded\. Still needed: [^\n]*, which you cannot cover\./;

/** Whoever decides because it was escalated to them can cover every need; not so a substitute for somebody else. */
function wronglyUnfit(seen: Case): Violation[] {
  const { asked, escalates = [], substitutes = false } = seen.approval;
  const isLater = (person: string) =>
    asked?.includes(person) === false && escalates.some(({ users }) => users.includes(person));
  return seen.told.flatMap(({ person, at, text }) => {
    const [first] = pressesBy(seen, person, 'approve', at);
    if (!UNFIT.test(text) || !isLater(person) || substitutes || first === undefined) return [];
    const isOne = othersOf(seen, [person], at).length === 1;
    // By a clock that was set back since, it is not escalated any more.
    const isDoubtful = wasClockSet(seen, first.at, at) || wentBackBetween(seen, first.at, at);
    if (!isOne || isDoubtful) return [];
    const what = `${person}, to whom it was escalated, was told that they cannot cover a need`;
    return [violation(seen, 'false', what, { person, at })];
  });
}

function wasClockSet({ run }: Case, from: number, until: number): boolean {
  const isWithin = (at: number) => from <= at && at <= until;
  return run.interruptions.some(
    (each) => each.what.startsWith('clock') && (isWithin(each.from) || isWithin(each.to)),
  );
}

/** How old a list of a group may be. */
const REMEMBERED_MS = 60_000;

/** Something was sent before, or forgotten, or others made false statements about people. */
function isUncertain(seen: Case, from: number, until: number): boolean {
  const { approval, run } = seen;
  const isSent = approval.calls.some(({ operation, at }) => operation === 'respond' && at <= until);
  const isDoubtful = run.doubts?.some((each) => each.from <= until && each.to >= approval.madeAt);
  return (
    isSent ||
    isDoubtful === true ||
    wentBackBetween(seen, approval.madeAt, until) ||
    mayBeLost(seen, from)
  );
}

/** They were told so before the other one pressed. */
function isCounted(seen: Case, person: string, before: number, until: number): boolean {
  const [first] = pressesBy(seen, person, 'approve', before);
  const isTold = seen.told.some(
    (each) => each.person === person && each.at < before && PROGRESS.test(each.text),
  );
  return first !== undefined && isTold && isCertain(seen, person, first.at, until);
}

/**
 * They took nothing back and lost nothing, pressed with one account, share their place with nobody, and could decide all
 * the time.
 */
function isCertain(seen: Case, person: string, from: number, until: number): boolean {
  const isTakenBack = seen.takeBacks.some((each) => each.person === person);
  const isEnded = seen.told.some(
    ({ text, ...each }) =>
      each.person === person && (TAKEN_BACK.test(text) || NO_LONGER_COUNTS.test(text)),
  );
  if (isTakenBack || isEnded || isPlaceShared(seen, person)) return false;
  if (!hadRightThroughout(seen, person, from, until)) return false;
  // It may have changed in between which accounts are one person's.
  const { rights, limits } = seen.run;
  const changes = rights.map(({ at }) => at + limits.rightMs);
  const between = changes.filter((at) => from <= at && at <= until + limits.rightMs);
  const times = new Set([from, ...between, until]);
  const isSilent = (other: string) =>
    [...seen.presses, ...seen.takeBacks].every((each) => each.person !== other);
  return [...times].every((at) =>
    othersOf(seen, [person], at).every((each) => each === person || isSilent(each)),
  );
}

/** The decision that it was part of had no effect, or they were authorized again. */
const NO_LONGER_COUNTS = /^Your approval of [^\n]* no longer counts/;
