import {
  accountsOf,
  actionOf,
  type Case,
  effectBy,
  hadRightThroughout,
  mayBeForgotten,
  mayBeLost,
  pressesBy,
  recordOf,
  rightsOf,
  STATUS_OF,
  violation,
  wasInterrupted,
  wentBackBetween,
} from '../case.ts';
import { type Said, saidIn } from '../claims.ts';
import type { AuditSeen, Effect, Press, ServiceCall, Told, Violation } from '../evidence.ts';
import { isCarriedOut, sentAt } from './decisions.ts';
import { isOfGone, statedIn, untrueOutcome } from './messages.ts';
import { TAKEN_BACK } from './taking-back.ts';

/** Every press has an effect or an answer, and what people are told is true, and told once. */
export function people(seen: Case): Violation[] {
  const untrue = seen.told.flatMap((told) => lies(seen, told));
  return [...seen.presses.flatMap((press) => unanswered(seen, press)), ...untrue, ...twice(seen)];
}

function unanswered(seen: Case, press: Press): Violation[] {
  const { person, action, at, acknowledgedAt, shown } = press;
  if (isAnswered(seen, press)) return [];
  if (action !== 'check' && isCarriedOut(seen, person, action)) return [];
  if (acknowledgedAt === null) {
    // Slack itself says that it failed.
    if (shown !== null) return [];
    return [violation(seen, 'unanswered', `a press on ${action} showed nothing`, { person, at })];
  }
  if (mayBeLost(seen, acknowledgedAt, at)) return [];
  // A person who changes their own mind during the hold knows it.
  if (action === 'approve' && isRevised(seen, press)) return [];
  // The message names them, if the service had no account to name.
  const isNameless = seen.approval.effects.some(
    ({ how, serviceUser }) => how === 'interface' && serviceUser === null,
  );
  if (isNameless && isNamed(seen, person, action)) return [];
  const own = rightsOf(seen.run, person);
  // A form can be submitted that was open when its person had to leave.
  const isGone =
    own.findLast((each) => each.approval === undefined && each.at <= at)?.gone === true;
  if (isGone || own.some((each) => each.gone && each.at >= at)) return [];
  const [effect] = effectBy(seen, Number.POSITIVE_INFINITY);
  const isTraced = seen.audit?.some(
    (each) => each.action === 'approvals.ballot' && each.actor === person,
  );
  if (effect === undefined && action !== 'check' && !isTraced) {
    const what = `${action} was acknowledged, and neither carried out nor answered`;
    return [violation(seen, 'lost', what, { person, at })];
  }
  const how = effect?.status ?? 'PENDING';
  const what = `${action} was acknowledged and not counted (it is ${how}), and they read nothing`;
  return [violation(seen, 'unanswered', what, { person, at })];
}

/** By any account of theirs: if one undoes what the other pressed, only one is told. */
function isRevised(seen: Case, { person, at }: Press): boolean {
  if ((seen.approval.holdMs ?? 0) === 0) return false;
  return ownAccounts(seen, person).some((own) => {
    const isRejected =
      seen.presses.some(
        (each) =>
          each.person === own &&
          each.action === 'reject' &&
          // Until Slack has seen it acknowledged, it may arrive.
          (each.acknowledgedAt ?? Number.POSITIVE_INFINITY) > at,
      ) &&
      (isCarriedOut(seen, own, 'reject') || isAccepted(seen, own));
    const isTakenBack =
      own !== person &&
      seen.told.some((each) => each.person === own && each.at > at && TAKEN_BACK.test(each.text));
    return isRejected || isTakenBack;
  });
}

/** Their rejection was, and has an answer of its own. */
function isAccepted({ audit }: Case, person: string): boolean {
  return (audit ?? []).some(
    ({ action, actor, facts }) =>
      action === 'approvals.ballot' &&
      actor === person &&
      facts.action === 'reject' &&
      facts.refused === undefined,
  );
}

/** With those that were known to be theirs only later. */
function ownAccounts({ run }: Case, person: string): readonly string[] {
  const own = rightsOf(run, person);
  const known = own.flatMap(({ serviceUser }) => serviceUser ?? []);
  return [...new Set([person, ...known.flatMap((each) => accountsOf(run, each))])];
}

function isNamed(seen: Case, person: string, action: Press['action']): boolean {
  return statedIn(seen).some(
    ({ status, by, sent }) =>
      action !== 'check' &&
      status === STATUS_OF[action] &&
      (by.includes(person) || sent.some((each) => each.person === person)),
  );
}

/** Before it acknowledges a failed press, the bot says so, at worst without naming the request. */
const SAID_BY_MS = 1_000;

/** Only for a decision: *Check now* has its own answer. */
const NOTHING_SENT = /\*: [^\n]*\bNothing was sent\./;

/** A reply since the press; presses of another kind have replies of their own, unless all of them ended. */
function isAnswered(seen: Case, press: Press): boolean {
  const { person, action, at } = press;
  if (isAnsweredAtOnce(seen, press)) return true;
  if (isAnsweredWithAll(seen, press)) return true;
  const others = new Set(
    seen.presses
      .filter((each) => each.person === person && each.at > at && each.action !== action)
      .filter((each) => each.action === 'check' || !isCarriedOut(seen, person, each.action))
      .filter(
        (each) => each.acknowledgedAt !== null && !mayBeLost(seen, each.acknowledgedAt, each.at),
      )
      .filter((each) => !isAnsweredAtOnce(seen, each))
      .filter((each) => !toldSince(seen, each).some(({ text }) => saidIn(text).isOfAll))
      .map((each) => each.action),
  );
  return toldSince(seen, press).length > others.size;
}

/** One reply answers it together with other presses of the same person. */
function isAnsweredWithAll(seen: Case, press: Press): boolean {
  return toldSince(seen, press).some(
    ({ text }) => saidIn(text).isOfAll || (UNKNOWN.test(text) && isUnsent(seen, press)),
  );
}

/**
 * That the service does not show it: the same text for the author of a decision of which nothing was sent, and for a
 * person who pressed Check now.
 */
const UNKNOWN =
  /\*: The service (?:no longer shows|does not know|does not show) this (?:approval|request)\b/;

/** It was processed, according to the log, and failed before anything was sent. */
function isUnsent({ approval, audit }: Case, { person, action, at }: Press): boolean {
  if (action === 'check') return true;
  const isSent = approval.calls.some((each) => each.operation === 'respond' && each.at >= at);
  const isCounted = ({ action: entry, actor, facts }: AuditSeen) =>
    entry === 'approvals.ballot' && actor === person && facts.action === action;
  return !isSent && audit?.some(isCounted) === true;
}

/** Possible answers to a press. */
function toldSince(seen: Case, { person, action, at }: Press): readonly Told[] {
  return seen.told.filter(
    (each) =>
      each.person === person &&
      each.at >= at &&
      !(action === 'check' && NOTHING_SENT.test(each.text)),
  );
}

/** By a text that does not name the request: that it was not recorded. */
function isAnsweredAtOnce(seen: Case, press: Press): boolean {
  const { person, at, acknowledgedAt, isOfSeveral } = press;
  const from = acknowledgedAt ?? at;
  const own = seen.unnamed.get(person) ?? [];
  return own.some((each) => {
    // They are posted once the form shows them, as far as it does.
    const isOfResults = isOfSeveral === true && RESULTS.test(each.text);
    const resultsByMs = wasInterrupted(seen, at, each.at) ? 3 * RESULTS_BY_MS : RESULTS_BY_MS;
    return each.at >= at && each.at <= from + (isOfResults ? resultsByMs : SAID_BY_MS);
  });
}

const RESULTS = /^Results of your \d+ decisions/;
const RESULTS_BY_MS = 60_000;

function lies(seen: Case, told: Told): Violation[] {
  const said = saidIn(told.text);
  const { person, at } = told;
  const untrue = isAboutGone(seen, told) ? [] : untrueOutcome(seen, said, at);
  for (const each of said.sent) {
    if (pressesBy(seen, each.person, each.action, at).length > 0) continue;
    untrue.push(`that a decision of ${each.person} was sent, who had pressed nothing`);
  }
  if (isSentAfterAll(seen, told, said))
    untrue.push('that nothing was sent, and it was carried out');
  if (wasSent(seen, told)) untrue.push('that nothing was sent, and the service had got it');
  if (isUnread(seen, told))
    untrue.push('that it was refused, before anybody looked whether it was decided');
  if (isRefusedInVain(seen, told, said)) untrue.push('that they cannot decide, when they could');
  return untrue.map((what) =>
    violation(seen, 'false', `${person} was told ${what}: “${told.text}”`, { person, at }),
  );
}

/** Its link leads to the message of an own gate that was lost, and requested again. */
function isAboutGone(seen: Case, { text }: Told): boolean {
  const about = seen.messages.find(({ channel, ts }) =>
    text.includes(`/${channel}/p${ts.replace('.', '')}|`),
  );
  return about !== undefined && isOfGone(seen, recordOf(about));
}

/** Whose press took effect: if only one of a person's two accounts pressed it, that one. */
function isBy(seen: Case, { serviceUser, status, at }: Effect, person: string): boolean {
  if (serviceUser === null) return false;
  const own = accountsOf(seen.run, serviceUser);
  const action = actionOf(status);
  const pressed = own.filter((each) => pressesBy(seen, each, action, at).length > 0);
  return own.includes(person) && pressed.every((each) => each === person);
}

/** As many presses as were reported as failed, and one of them had an effect. */
function isSentAfterAll(seen: Case, { person }: Told, said: Said): boolean {
  if (!said.notSent) return false;
  const effect = seen.approval.effects.find(
    (each) => each.how === 'interface' && isBy(seen, each, person),
  );
  if (effect === undefined || mayBeForgotten(seen, effect.at)) return false;
  const own = seen.presses.filter((press) => press.person === person);
  const before = own.filter(({ at }) => at <= effect.at);
  const after = own.find(({ at }) => at > effect.at)?.at ?? Number.POSITIVE_INFINITY;
  const inVain = seen.told.filter(
    (each) =>
      each.person === person &&
      each.answered &&
      each.at < after &&
      // The store forgot that the press was processed, and it is processed again.
      !wentBackBetween(
        seen,
        own.findLast(({ at }) => at <= each.at)?.at ?? each.at,
        Math.min(each.at, effect.at),
      ) &&
      saidIn(each.text).notSent,
  );
  // After an interruption the same press may be answered again.
  const presses = inVain.filter((each, place) => {
    const same = inVain.slice(0, place).findLast(({ text }) => text === each.text);
    return same === undefined || !(same.at === each.at || isSaidAgain(seen, same.at, each.at));
  });
  if (before.some(({ action }) => action === 'check' || STATUS_OF[action] !== effect.status))
    return false;
  // A press on Undo that was not recorded is answered in the same words, and may have been delivered twice.
  const undone = seen.takeBacks.filter((each) => each.person === person && each.at < after);
  const doubled = before.filter((each) => each.doubled);
  return presses.length >= before.length + doubled.length + 2 * undone.length;
}

function isSaidAgain(seen: Case, from: number, until: number): boolean {
  return wasInterrupted(seen, from, until) || wentBackBetween(seen, from, until);
}

/** Because its route is closed. */
const UNSENT = /\bYour approval was not sent and no longer counts\./;

/** The service got what they pressed, once, and did not say that it refuses it. */
function wasSent(seen: Case, { person, at, text }: Told): boolean {
  if (!NOTHING_SENT.test(text) && !UNSENT.test(text)) return false;
  const own = ownAccounts(seen, person);
  const isOwn = (each: { readonly person: string; readonly at: number }) =>
    own.includes(each.person) && each.at <= at;
  const [press, ...others] = seen.presses.filter(isOwn);
  if (press === undefined || others.length > 0 || press.doubled === true) return false;
  if (seen.takeBacks.some(isOwn) || wentBackBetween(seen, press.at, at)) return false;
  return sentFor(seen, person, at).some(
    (call) =>
      call.action === press.action &&
      sentAt(call) >= press.at &&
      (call.status === null || call.status >= 500),
  );
}

function sentFor({ approval, run }: Case, person: string, until: number): readonly ServiceCall[] {
  return approval.calls.filter(
    ({ operation, serviceUser, at }) =>
      operation === 'respond' &&
      at <= until &&
      serviceUser !== null &&
      accountsOf(run, serviceUser).includes(person),
  );
}

const REFUSED =
  /\bThe service (?:did not accept your decision|refused your decision and still needs one)\./;
/** The service says so, too, if it was decided elsewhere. */
const UNCLEAR: ReadonlySet<number | null> = new Set([404, 409, 410]);

/** All refusals of their decisions were unclear, and the status was not read since the last of them. */
function isUnread(seen: Case, { person, at, text }: Told): boolean {
  const { tries } = seen.approval;
  if (tries === undefined || !REFUSED.test(text)) return false;
  const calls = sentFor(seen, person, at);
  const last = calls.at(-1);
  if (last === undefined || !calls.every(({ status }) => UNCLEAR.has(status))) return false;
  const isRead = tries.some(
    (each) => each.operation === 'read' && each.at >= last.at && each.at <= at,
  );
  return !isRead && !wentBackBetween(seen, last.at, at);
}

/** The person had the right from the press to the reply. */
function isRefusedInVain(seen: Case, { person, at }: Told, { refused }: Said): boolean {
  if (!refused || seen.approval.mayBeRefused?.includes(person) === true) return false;
  const press = pressesBy(seen, person, null, at).at(0);
  const isInDoubt = seen.run.doubts?.some(({ from, to }) => from <= at && to >= (press?.at ?? at));
  if (isInDoubt) return false;
  return press !== undefined && hadRightThroughout(seen, person, press.at, at);
}

/** A sent reply is saved after the next step at the latest: 4 s and 5 s, and the time of the saves. */
const KEPT_BY_MS = 10_000;

/** Between the two the store went back to before it knew of the first. */
function isForgottenBy({ run }: Case, first: Told, again: Told): boolean {
  if (first === again) return false;
  return run.lapses.some(
    ({ from, at }) => from <= first.at + KEPT_BY_MS && first.at <= at && at <= again.at,
  );
}

/** A press that opens a form counts only when the form is submitted; every copy of it is answered. */
const UNOPENED =
  /^Slack did not confirm that the form\b|^You already approved | no other reviewer who can be told first\b/;
/** Said by whoever received a press that did not reach the record. */
const UNRECORDED =
  /\* is no longer stored here\b|^It is not known whether your click\b|^Your click on .* was not recorded:/;

/** Somebody else did that, which may be more than once. */
const BY_ANOTHER = /^<@(\w+)> took back\b/;

/** The bot sent the same text more often than the person pressed; it may repeat a text whose send was not confirmed. */
function twice(seen: Case): Violation[] {
  const wrong: Violation[] = [];
  for (const [place, told] of seen.told.entries()) {
    const { person, text, at } = told;
    if (UNOPENED.test(text)) continue;
    const same = seen.told
      .slice(0, place)
      .filter((each) => each.person === person && each.text === text);
    const last = same.at(-1);
    const isKnown = (each: Told) => each.answered && !isForgottenBy(seen, each, told);
    const heard = [...same, told].filter(isKnown).length;
    const presses = pressesBy(seen, person, null, at);
    // Only the record of the request knows that a press arrived twice.
    const copies = UNRECORDED.test(text) ? presses.filter(({ doubled }) => doubled).length : 0;
    const [, doer = person] = BY_ANOTHER.exec(text) ?? [];
    const others = [...seen.takeBacks, ...seen.reviews].filter(
      (each) => [person, doer].includes(each.person) && each.at <= at,
    );
    if (last === undefined || heard <= presses.length + others.length + copies) continue;
    if (!last.answered || isSaidAgain(seen, last.at, at)) continue;
    wrong.push(violation(seen, 'double', `${person} was told twice: “${text}”`, { person, at }));
  }
  return wrong;
}
