import { acceptedBallots } from '../absent.ts';
import {
  type Case,
  couldDecide,
  mayBeForgotten,
  mayBeLost,
  mayCount,
  postOf,
  pressesBy,
  recordOf,
  violation,
  votersOf,
  wentBackBetween,
} from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import { areEnough } from '../enough.ts';
import type { AuditSeen, Interruption, Press, Told, Violation } from '../evidence.ts';
import { sentAt, stoodStill } from './decisions.ts';
import { statedIn } from './messages.ts';
import { EARLIER, standsSince, TAKEN_BACK } from './taking-back.ts';

/**
 * A held approval is sent when its hold is over, and not before: judged by what people pressed and took back, and by
 * what its message said. An undo or an objection in time is respected, and what people are told about it is true.
 */
export function holds(seen: Case): Violation[] {
  const { holdMs = 0 } = seen.approval;
  if (holdMs === 0) return [];
  return [
    ...sendsOf(seen).flatMap((at) => [
      ...early(seen, holdMs, at),
      ...afterDowntime(seen, holdMs, at),
      ...overtaken(seen, holdMs, at),
    ]),
    ...tooSoonAgain(seen, holdMs),
    ...unread(seen, holdMs),
    ...unapproved(seen),
    ...tooLong(seen),
    ...passedOver(seen),
    ...waitedOut(seen),
    ...undoneInVain(seen),
    ...seen.told.flatMap((each) => lies(seen, each)),
  ];
}

/** How long before the deadline a hold ends. */
const BEFORE_DEADLINE_MS = 2_000;
/** Moments are whole milliseconds, and waits are not. */
const ROUNDED_MS = 5;

/** When the approval was sent; for an own gate, when its message first said so. */
export function sendsOf(seen: Case): readonly number[] {
  const { approval } = seen;
  if (approval.authority === 'service')
    return approval.calls.filter(({ action }) => action === 'approve').map(sentAt);
  const stated = statedIn(seen).find(({ status }) => status === 'APPROVED');
  return stated === undefined ? [] : [stated.sentAt];
}

/** The earliest end of a hold that starts then. */
function endOf({ approval }: Case, from: number, holdMs: number): number {
  const latest = (approval.deadlineAt ?? Number.POSITIVE_INFINITY) - BEFORE_DEADLINE_MS;
  return Math.min(from + holdMs, latest) - ROUNDED_MS;
}

function early(seen: Case, holdMs: number, at: number): Violation[] {
  const since = enoughSince(seen, at);
  const undone = lastUndone(seen, at);
  const shown = shownBy(seen, at).at(-1);
  const wrong: string[] = [];
  if (since !== undefined && at < endOf(seen, since, holdMs))
    wrong.push(`${at - since} ms after it was approved, and not after ${holdMs}`);
  if (undone !== undefined && at < endOf(seen, undone, holdMs))
    wrong.push(`${at - undone} ms after it was undone, and not after ${holdMs}`);
  const { held, shownAt = 0 } = shown ?? {};
  if (held && at < held.until - ROUNDED_MS && !wentBackBetween(seen, shownAt, at))
    wrong.push(`${held.until - at} ms before its message said that it would be`);
  return wrong.map((what) => violation(seen, 'false', `approve was sent ${what}`, { at }));
}

/** Everybody is authorized again once the hold is over: people who lost their right before that do not count. */
function overtaken(seen: Case, holdMs: number, at: number): Violation[] {
  const from = endOf(seen, enoughSince(seen, at) ?? at, holdMs);
  if (from > at || stoodStill(seen, from, at)) return [];
  const able = votersOf(seen).filter(
    (each) => standsSince(seen, each, at) !== undefined && mayCount(seen, each, from, at),
  );
  if (areEnough(seen, able, { from, until: at })) return [];
  const what = `approve was sent when, since its hold was over, ${able.join(', ') || 'nobody'} could decide`;
  return [violation(seen, 'false', what, { at })];
}

/** When the approvals that stand by this moment were enough; undefined: they are not. */
function enoughSince(seen: Case, until: number): number | undefined {
  const standing = votersOf(seen)
    .flatMap((person) => {
      const at = standsSince(seen, person, until);
      return at === undefined ? [] : [{ person, at }];
    })
    .toSorted((one, other) => one.at - other.at);
  const place = standing.findIndex((_, at) => {
    const ids = standing.slice(0, at + 1).map(({ person }) => person);
    return areEnough(seen, ids, { from: seen.approval.madeAt, until });
  });
  return standing[place]?.at;
}

/** When somebody whom its message named ended the hold, as they were told by then; undefined: nobody did. */
function lastUndone(seen: Case, until: number): number | undefined {
  const undone = seen.takeBacks.filter(({ person, at, acknowledgedAt }) => {
    const own = seen.takeBacks.filter((each) => each.person === person && each.at <= until);
    const isTold = seen.told.some(
      (each) =>
        each.person === person && each.at >= at && each.at < until && TAKEN_BACK.test(each.text),
    );
    const isNamed = shownBy(seen, at).at(-1)?.held?.by.includes(person) === true;
    const isSure = acknowledgedAt !== null && own.length === 1 && !wentBackBetween(seen, at, until);
    return isSure && isTold && isNamed;
  });
  return undone.at(-1)?.at;
}

interface Shown extends Claims {
  readonly shownAt: number;
}

/** What its message said until a moment, oldest first. */
function shownBy(seen: Case, until: number): readonly Shown[] {
  const record = seen.records.at(-1);
  return seen.messages
    .filter((each) => recordOf(each) === record && postOf(each)?.startsWith('message') === true)
    .flatMap(({ versions }) => versions)
    .filter(({ at }) => at <= until)
    .toSorted((one, other) => one.at - other.at)
    .map((version) => ({ ...claimsOf(version), shownAt: version.sentAt ?? version.at }));
}

/**
 * Between the end of the hold and the first send, the status is read from the service. If it takes until the last
 * moments before the deadline to know that the approvals are enough, there is no hold.
 */
function unread(seen: Case, holdMs: number): Violation[] {
  const { calls } = seen.approval;
  const first = calls.find(({ action }) => action === 'approve');
  if (first === undefined) return [];
  const until = sentAt(first);
  const since = enoughSince(seen, until) ?? 0;
  const end = endOf(seen, since, holdMs);
  const isHeld =
    end >= since + holdMs - ROUNDED_MS ||
    shownBy(seen, until).some(({ held, shownAt }) => held !== null && shownAt >= since);
  const from = isHeld ? end : since;
  const isRead = calls.some(
    ({ operation, at, status }) =>
      operation === 'read' && status === 200 && at >= from && at <= until,
  );
  if (isRead) return [];
  const what = 'approve was sent without reading the status after it was held';
  return [violation(seen, 'false', what, { at: until })];
}

/** Of two approvals the log may have the first, which was taken back. */
function isInLog(seen: Case, person: string, until: number): boolean {
  const logged = acceptedBallots(seen).filter(({ actor }) => actor === person).length;
  const pressed = pressesBy(seen, person, 'approve', until).length;
  return logged > 0 && (logged >= pressed || !mayBeForgotten(seen, until));
}

/** A hold is an approval by the people its message names, who are enough; a rejection is not held. */
function unapproved(seen: Case): Violation[] {
  const { madeAt } = seen.approval;
  return shownBy(seen, Number.POSITIVE_INFINITY).flatMap(({ held, shownAt }) => {
    if (held === null || areEnough(seen, held.by, { from: madeAt, until: shownAt })) return [];
    // The store has forgotten in whose place they approved.
    if (held.by.some((each) => !isInLog(seen, each, shownAt)) && seen.run.lapses.length > 0)
      return [];
    const what = `its message said that it is held, approved by ${held.by.join(', ') || 'nobody'}`;
    return [violation(seen, 'false', what, { at: shownAt })];
  });
}

/** A hold that begins ends two seconds before the deadline at the latest; messages show whole seconds. */
function tooLong(seen: Case): Violation[] {
  const { deadlineAt } = seen.approval;
  if (deadlineAt === null) return [];
  const shown = shownBy(seen, Number.POSITIVE_INFINITY);
  return shown.flatMap(({ held, shownAt }, place) => {
    const isFirst = held !== null && (shown[place - 1]?.held ?? null) === null;
    const latest = Math.max(deadlineAt - BEFORE_DEADLINE_MS, shownAt) + CERTAIN_MS;
    if (!isFirst || held.until <= latest) return [];
    const what = `its message said that it is held for ${held.until - latest} ms too long before its deadline`;
    return [violation(seen, 'false', what, { at: shownAt })];
  });
}

/** People rely on the end that they read: if nothing could be saved for that long after it, a new hold begins. */
const MISSED_MS = 5_000 + 1_500;
const CERTAIN_MS = 1_000;

function afterDowntime(seen: Case, holdMs: number, at: number): Violation[] {
  const missed = missedIn(seen).find(({ to }) => to <= at);
  if (missed === undefined || wentBackBetween(seen, missed.from - 2 * holdMs, at)) return [];
  if (at >= endOf(seen, missed.to, holdMs)) return [];
  const what = `approve was sent ${at - missed.to} ms after a downtime in which its hold was over`;
  return [violation(seen, 'false', what, { at })];
}

/** The new hold begins after the downtime, so its message says then that it lasts at least that long. */
function tooSoonAgain(seen: Case, holdMs: number): Violation[] {
  const missed = missedIn(seen);
  return shownBy(seen, Number.POSITIVE_INFINITY).flatMap(({ held, shownAt }) => {
    const last = missed.findLast(({ to }) => to < shownAt);
    if (last === undefined || held === null || held.until <= last.to) return [];
    if (wentBackBetween(seen, last.from - 2 * holdMs, shownAt)) return [];
    const least = endOf(seen, last.to, holdMs) - CERTAIN_MS;
    if (held.until >= least) return [];
    const what = `its message said that it is held for ${least - held.until} ms too short after a downtime`;
    return [violation(seen, 'false', what, { at: shownAt })];
  });
}

/** Downtimes of the store in which it ended, as its message certainly said. */
export function missedIn(seen: Case): readonly Interruption[] {
  const { interruptions, delays = [] } = seen.run;
  const { holdMs = 0 } = seen.approval;
  return interruptions.filter(({ what, from, to }) => {
    if (what !== 'the store is away') return false;
    const { held, shownAt = 0 } = shownBy(seen, from).at(-1) ?? {};
    if (!held || from > held.until - CERTAIN_MS || to < held.until + MISSED_MS) return false;
    const begunAt = Math.min(shownAt, held.until - holdMs) - CERTAIN_MS;
    // Then the record may have a later end, which Slack does not show yet.
    const isDelayed =
      interruptions.some((each) => each.from < from && each.to >= begunAt && mayDelay(each)) ||
      delays.some(({ record, at }) => seen.records.includes(record) && at >= begunAt && at <= from);
    return !isDelayed;
  });
}

/** The record, or what its message says of it: its hold ends by the clock of the store. */
function mayDelay({ what }: Interruption): boolean {
  return !/^clock of|^the receiver|^the service|line to (?:callbacks|intake|deliveries|service)/.test(
    what,
  );
}

/** How long before the end of a hold an objection is certainly in time. */
const IN_TIME_MS = 5_000;

/** Until another process continues the work of one that ended. */
const HANDED_OVER_MS = 15_000;

/** A reject that was stored in time is processed before the approval is sent: the log has the order. */
function passedOver(seen: Case): Violation[] {
  const { audit, run } = seen;
  const [at] = sendsOf(seen);
  if (audit === null || at === undefined || run.lapses.length > 0) return [];
  const own = audit.filter(({ record }) => record === seen.records.at(-1));
  const before = own.slice(
    0,
    own.findIndex((each) => isApproval(seen, each)),
  );
  const until = shownBy(seen, at).findLast(({ held }) => held !== null)?.held?.until ?? 0;
  return seen.presses.flatMap(({ person, action, acknowledgedAt, at: pressedAt }) => {
    if (action !== 'reject' || acknowledgedAt === null) return [];
    const isInTime = acknowledgedAt + IN_TIME_MS <= Math.min(until, at);
    const isHindered =
      mayBeLost(seen, acknowledgedAt, pressedAt) ||
      [...run.interruptions.filter(hinders), ...(run.doubts ?? [])].some(
        ({ from, to }) => from <= acknowledgedAt + IN_TIME_MS && to >= pressedAt - HANDED_OVER_MS,
      );
    const isSeen = before.some(
      (each) =>
        each.action === 'approvals.ballot' &&
        each.actor === person &&
        each.facts.action === 'reject',
    );
    // The store did not take it, or its answer was lost: they were asked to press again.
    const isInDoubt = seen.told.some(
      (each) =>
        each.person === person &&
        each.at >= pressedAt &&
        (IN_DOUBT.test(each.text) || NOT_STORED.test(each.text)),
    );
    // It could not be checked, and they were told to press again before anything was sent.
    const isVoid = seen.told.some(
      (each) =>
        each.person === person && each.at >= pressedAt && each.at <= at && VOID.test(each.text),
    );
    if (isVoid || isReplaced(seen, person, pressedAt)) return [];
    if (!isInTime || isHindered || isSeen || isInDoubt) return [];
    const what = 'approve was sent although somebody had rejected it while it was held';
    return [violation(seen, 'false', what, { person, at })];
  });
}

/** It arrived after a newer approval of the same person, who read that it does not count. */
function isReplaced({ presses, told }: Case, person: string, rejectedAt: number): boolean {
  const isTheirs = (each: { readonly person: string; readonly at: number }) =>
    each.person === person && each.at >= rejectedAt;
  return (
    presses.some((each) => isTheirs(each) && each.action === 'approve') &&
    told.some((each) => isTheirs(each) && EARLIER.test(each.text))
  );
}

/** A press is looked at within that time, or its person reads that it could not be checked. */
const LOOKED_AT_MS = 45_000;

/** A reject is looked at while an approval is held: it does not wait until the request times out. */
function waitedOut(seen: Case): Violation[] {
  const { audit, run } = seen;
  const { deadlineAt } = seen.approval;
  if (audit === null || deadlineAt === null || run.lapses.length > 0) return [];
  const own = audit.filter(({ record }) => record === seen.records.at(-1));
  const end = own.findIndex(({ action }) => action === 'approvals.outcome');
  if (own[end]?.facts.status !== 'TIMED_OUT') return [];
  return seen.presses.flatMap(({ person, action, acknowledgedAt, at }) => {
    if (action !== 'reject' || acknowledgedAt === null) return [];
    const isWaiting = (shownBy(seen, at).at(-1)?.held ?? null) !== null;
    // Without the service their person is told after that time.
    const hindered = run.interruptions.filter(
      (each) => hinders(each) && each.what !== 'the service lets nobody in',
    );
    const isSeen = own
      .slice(0, end)
      .some(
        (each) =>
          each.action === 'approvals.ballot' &&
          each.actor === person &&
          each.facts.action === 'reject',
      );
    const isTold = seen.told.some(
      (each) => each.person === person && each.at >= at && each.at < deadlineAt,
    );
    const isInTime = longestBetween(hindered, acknowledgedAt, deadlineAt) < LOOKED_AT_MS;
    if (!isWaiting || isSeen || isTold || isInTime) return [];
    const what = 'it timed out, and a reject had waited since an approval was held';
    return [violation(seen, 'lost', what, { person, at })];
  });
}

/** The longest time in between in which nothing hindered a process, in milliseconds. */
function longestBetween(hindered: readonly Interruption[], from: number, until: number): number {
  let longest = 0;
  let freeFrom = from;
  for (const each of hindered.toSorted((one, other) => one.from - other.from)) {
    longest = Math.max(longest, Math.min(each.from, until) - freeFrom);
    freeFrom = Math.max(freeFrom, each.to + HANDED_OVER_MS);
  }
  return Math.max(longest, until - freeFrom);
}

/** How long before an approval is sent its Undo can be too late, because its process has noted it, if the store is fast. */
const NOTED_MS = 300;
/** How long a process waits for an answer of the store. */
const ANSWER_MS = 1_500;
/** How long before that a process must have stopped, so that it sends nothing if it goes on earlier than planned. */
const DOWN_MS = 3_000;

/** An Undo that was stored in time ends the hold: the log shows that it was sent only once. */
function undoneInVain(seen: Case): Violation[] {
  const { audit, run, approval } = seen;
  const first = approval.calls.find(({ action }) => action === 'approve');
  if (audit === null || first === undefined || run.lapses.length > 0) return [];
  const own = audit.filter(({ record }) => record === seen.records.at(-1));
  const [noted, ...others] = own.filter((each) => isApproval(seen, each));
  if (noted === undefined || others.length > 0) return [];
  const sent = sentAt(first);
  return seen.takeBacks.flatMap(({ person, at, acknowledgedAt }) => {
    if (acknowledgedAt === null) return [];
    // The answer to the note that it is about to be sent has what was stored before, however slow the store is.
    const isBeforeNote = approval.authority === 'service' && acknowledgedAt < (noted.at ?? 0);
    if (!isBeforeNote && acknowledgedAt + NOTED_MS > sent) return [];
    const { held = null, undecided = [] } = shownBy(seen, at).at(-1) ?? {};
    const isNamed =
      held?.by.includes(person) === true ||
      undecided.some((each) => each.person === person && each.action === 'approve');
    const isSlow =
      !isBeforeNote &&
      (run.delays ?? []).some(
        (each) =>
          seen.records.includes(each.record) && each.at >= at - ANSWER_MS && each.at <= sent,
      );
    const isHindered = run.interruptions.some(
      (each) =>
        hinders(each) &&
        each.from <= sent &&
        each.to >= at - CERTAIN_MS &&
        !isOfAnother(each, at, sent),
    );
    const answer = seen.told.find((each) => each.person === person && each.at >= at);
    const isAnswered =
      answer !== undefined && !TOO_LATE.test(answer.text) && !IS_APPROVED.test(answer.text);
    const isAgain = seen.presses.some(
      (each) => each.action === 'approve' && each.at > at && each.at <= sent,
    );
    if (!isNamed || isSlow || isHindered || isAnswered || isAgain) return [];
    const what = `approve was sent ${sent - at} ms after somebody had undone it`;
    return [violation(seen, 'false', what, { person, at })];
  });
}

/** No process that is down all the time sends it. */
function isOfAnother({ what, from, to }: Interruption, at: number, sent: number): boolean {
  return / (?:stands still|is killed)$/.test(what) && from <= at - DOWN_MS && to > sent;
}

const IS_APPROVED = /\* (?:was|is)(?: already)? approved\b(?! and (?:will be sent|counts) at)/;
const IN_DOUBT = /^It is not known whether your click/;
const NOT_STORED = /^Your click on [^\n]* was not recorded: /;
const VOID =
  /\bYour decision does not count\b|\bNothing was sent\.(?: It says: “[^”]*”)? Press again in a minute\./;

/** Faults that do not affect the processing of a press do not count. */
export function hinders({ what }: Interruption): boolean {
  return !/^clock |^the receiver|line to (?:callbacks|intake|deliveries)/.test(what);
}

function isApproval({ approval }: Case, { action, facts }: AuditSeen): boolean {
  if (approval.authority === 'service')
    return action === 'approvals.respond' && facts.action === 'approve';
  return action === 'approvals.outcome' && facts.status === 'APPROVED';
}

const TOO_LATE = /^Your approval of \*[^\n]*\* can no longer be undone\./;
const DECIDING = /\bis being decided with your approval\./;
export const STOPPED = /^<@(\w+)> rejected \*[^\n]*\* before your approval took effect\./;
export const UNDONE = /^<@(\w+)> took back their approval of /;
const PRESS_AGAIN = /one of them has to press Approve again\./;

function lies(seen: Case, { person, at, text }: Told): Violation[] {
  const wrong: string[] = [];
  const { audit, takeBacks, run } = seen;
  const isForgotten = run.lapses.length > 0;
  if (
    TOO_LATE.test(text) &&
    !isForgotten &&
    audit?.some((each) => isApproval(seen, each)) === false
  )
    wrong.push('that their approval is sent, and it never was');
  if ((DECIDING.test(text) || TOO_LATE.test(text)) && wasHeld(seen, person, at))
    wrong.push('that it cannot be undone any more, while it was held');
  const rejecter = STOPPED.exec(text)?.[1];
  if (rejecter !== undefined && !couldDecide(seen, rejecter, 'reject', at))
    wrong.push(`that ${rejecter} rejected it, who had not, or could not`);
  const taker = UNDONE.exec(text)?.[1];
  if (taker !== undefined && !takeBacks.some((each) => each.person === taker && each.at <= at))
    wrong.push(`that ${taker} took their approval back, who had not`);
  if (PRESS_AGAIN.test(text) && !isForgotten && wasNotEnded(seen, person, at))
    wrong.push('that others have to press again, and it was sent without');
  return wrong.map((what) =>
    violation(seen, 'false', `${person} was told ${what}: “${text}”`, { person, at }),
  );
}

/** Its message named them and an end of the hold that was still to come, and nothing was sent before that. */
function wasHeld(seen: Case, person: string, at: number): boolean {
  const { held, shownAt = 0 } = shownBy(seen, at).at(-1) ?? {};
  const isSent = sendsOf(seen).some((each) => each <= at + CERTAIN_MS);
  return (
    held?.by.includes(person) === true &&
    held.until > at + CERTAIN_MS &&
    !isSent &&
    !wentBackBetween(seen, shownAt, at)
  );
}

/** It was sent later, for the people its message had named when it was undone, and nobody had pressed since, or was new. */
function wasNotEnded(seen: Case, person: string, at: number): boolean {
  const sent = sendsOf(seen).find((each) => each > at);
  // Somebody may press again before they read that it was undone: it can be told late, and more than once.
  const undoneAt = Math.min(at, ...seen.takeBacks.map((each) => each.at));
  const shown = shownBy(seen, undoneAt).findLast(({ held }) => held !== null);
  if (sent === undefined || !shown?.held) return false;
  const { held, shownAt } = shown;
  // Of two presses one may still wait.
  const isUsed = (press: Press) =>
    press.at < shownAt &&
    held.by.includes(press.person) &&
    pressesBy(seen, press.person, 'approve', shownAt).length === 1;
  return seen.presses.every(
    (press) =>
      press.action !== 'approve' ||
      (press.person === person && press.at <= undoneAt) ||
      press.at > sent ||
      isUsed(press),
  );
}
