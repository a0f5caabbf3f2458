import { createHash } from 'node:crypto';
import {
  acceptedIn,
  type Case,
  effectBy,
  isSurelyMember,
  mayBeForgotten,
  mayBeLost,
  postOf,
  recordOf,
  reviewsFrom,
  STATUS_OF,
  violation,
  wentBackBetween,
} from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { CallbackSeen, Effect, Status, Violation } from '../evidence.ts';
import { statedIn, untrueOutcome } from './messages.ts';

/** A receiver of callbacks gets each event once, by its id, and never a false one. */
export function callbacks(seen: Case): Violation[] {
  const { callbacks: all, approval } = seen;
  if (all === null) return [];
  if (approval.isCalledBack === false)
    return all.map(({ at, type }) => violation(seen, 'false', `${type} went to nobody`, { at }));
  const taken = all.filter(({ isTaken }) => isTaken);
  const untrue = all.flatMap((each) => lies(seen, each));
  return [...untrue, ...changed(seen, all), ...double(seen, taken), ...lost(seen, taken)];
}

const ENDS = ['approval.decided', 'approval.timed_out', 'approval.withdrawn'];
const POSTED = 'approval.posted';
const BLOCKED = 'approval.blocked';

function isEnd({ type }: CallbackSeen): boolean {
  return ENDS.includes(type);
}

function lies(seen: Case, callback: CallbackSeen): Violation[] {
  const { at, type } = callback;
  return [...misstated(seen, callback), ...untrue(seen, callback)].map((what) =>
    violation(seen, 'false', `${type} (${callback.id}) ${what}`, { at }),
  );
}

/** Errors that no fault can explain. */
function misstated({ approval, messages }: Case, callback: CallbackSeen): string[] {
  const { isGenuine, at, saidAt, key, digest, permalink } = callback;
  const wrong: string[] = [];
  if (!isGenuine) wrong.push('is not signed by its secret, or long ago');
  // Times are whole milliseconds.
  if (!(saidAt <= at)) wrong.push('tells of what is still to come');
  if (key !== (approval.key ?? null)) wrong.push(`names the key ${key}`);
  if (approval.message !== undefined && digest !== digestOf(approval))
    wrong.push('has the digest of other content');
  const isThere = messages.some(
    ({ channel, ts, versions }) =>
      permalink?.endsWith(`/archives/${channel}/p${ts.replace('.', '')}`) === true &&
      versions.some((version) => version.at <= at),
  );
  if (permalink !== null && !isThere) wrong.push(`links to ${permalink}, which is none of its own`);
  return wrong;
}

/** As docs/intake.md defines it. */
function digestOf({ message, title }: Case['approval']): string {
  return createHash('sha256').update(JSON.stringify({ message, title })).digest('hex');
}

function untrue(seen: Case, callback: CallbackSeen): string[] {
  const { type, status, by, reason, at, saidAt, permalink } = callback;
  const { approval, messages } = seen;
  switch (type) {
    case 'approval.decided': {
      if (status !== 'APPROVED' && status !== 'REJECTED') return [`says ${status}`];
      // A source does not wait for the message, from which a store that went back learns an end again.
      if (approval.authority === 'gatepost' && mayBeForgotten(seen, saidAt)) return [];
      // It also names nobody if it is not certain who decided.
      const outcome = { status, by, elsewhere: false } as const;
      const wrong = untrueOutcome(seen, outcome, at).map((what) => `says ${what}`);
      const isNameless = by.length === 0 && isCertain(seen) && !mayBeForgotten(seen, saidAt);
      if (isNameless) wrong.push('leaves out who decided');
      const written =
        approval.reasons?.filter(
          ({ person, action }) => by.includes(person) && STATUS_OF[action] === status,
        ) ?? [];
      const given = reason?.split('\n') ?? [];
      const unwritten = given.filter((each) => !written.some(({ text }) => text === each));
      if (unwritten.length > 0) wrong.push(`gives a reason that nobody wrote: ${unwritten[0]}`);
      // If a decision became unknown, its reason is lost, too; a message that names who decided does not keep the
      // reason.
      const wasUnknown = messages.some(({ versions }) =>
        versions.some((version) => version.at <= at && claimsOf(version).unknown),
      );
      const wasForgotten = seen.presses.some((press) => wentBackBetween(seen, press.at, at));
      const isOwed = status === 'REJECTED' && written.length > 0 && !wasUnknown && !wasForgotten;
      return isOwed && reason === null ? [...wrong, 'leaves out the reason'] : wrong;
    }
    case 'approval.timed_out': {
      const isEarly = approval.deadlineAt !== null && at < approval.deadlineAt;
      const wrong = isEarly ? ['came before its deadline'] : [];
      if (status !== 'TIMED_OUT' || by.length > 0) return [...wrong, `says ${status} by ${by}`];
      if (approval.authority === 'gatepost' && mayBeForgotten(seen, saidAt)) return wrong;
      const outcome = { status, by, elsewhere: false } as const;
      return [...wrong, ...untrueOutcome(seen, outcome, at).map((what) => `says ${what}`)];
    }
    case 'approval.withdrawn':
      if (status !== 'WITHDRAWN' || by.length > 0) return [`says ${status} by ${by}`];
      return approval.withdrawals.some((each) => each.at <= at) ? [] : ['and nobody took it back'];
    case POSTED: {
      const isThere = messages.some(
        (each) =>
          postOf(each)?.startsWith('message') === true &&
          each.versions.some((version) => version.at <= at),
      );
      if (status !== 'PENDING' || by.length > 0) return [`says ${status} by ${by}`];
      if (!isThere) return ['and there is no message'];
      return permalink === null && deletedBy(seen, at) === 0 ? ['does not say where'] : [];
    }
    case BLOCKED: {
      if (status !== 'BLOCKED' || by.length > 0) return [`says ${status} by ${by}`];
      const isRefused = approval.refusals?.some(
        (each) => each.post.startsWith('message') && each.at <= at,
      );
      // Only its requester could decide it, or it is not posted a third time before its end.
      const isRight = isRefused || deletedBy(seen, at) > 1 || mayBeAlone(seen, at);
      return isRight ? [] : ['and Slack had not refused it'];
    }
    default:
      return [`is no event that there is (${status}, ${reason})`];
  }
}

/** Its requester may be the only one left who could decide it, or Slack may have said that it does not know the others. */
function mayBeAlone(seen: Case, until: number): boolean {
  const { askers = [], reviewers, deadlineAt } = seen.approval;
  const endsAt = deadlineAt ?? Number.POSITIVE_INFINITY;
  const others = reviewers.filter((each) => !askers.includes(each));
  const isLeft = (each: string) =>
    isSurelyMember(seen, each, until) && reviewsFrom(seen, each).surely < endsAt;
  const isOfSomebody = askers.length > 0 || reviewers.length === 0;
  return isOfSomebody && !others.some(isLeft);
}

/** How many of its messages somebody had deleted. */
function deletedBy({ messages }: Case, until: number): number {
  return messages.filter(({ deletedAt }) => deletedAt !== null && deletedAt <= until).length;
}

/** According to the log, each time that the outcome was learned. */
function isCertain({ audit }: Case): boolean {
  const learned = audit?.filter(({ action }) => action === 'approvals.outcome') ?? [];
  return learned.length > 0 && learned.every(({ facts }) => facts.credit === 'certain');
}

/** A receiver can ignore an id that it knows: the content is the same, unless the store forgot it. */
function changed(seen: Case, all: readonly CallbackSeen[]): Violation[] {
  return all.flatMap((each, place) => {
    const before = all.slice(0, place).findLast(({ id }) => id === each.id);
    if (before === undefined || contentOf(before, seen.approval) === contentOf(each, seen.approval))
      return [];
    // The first one sent may arrive last.
    if (wasRedone(seen, before, each) || isRecalled(seen, before, each)) return [];
    if (isForgottenAgain(seen, before, each)) return [];
    return [violation(seen, 'false', `${each.id} came again with other content`, { at: each.at })];
  });
}

/** The store forgot whose decision it was, and the message knew it. */
function isRecalled(seen: Case, before: CallbackSeen, each: CallbackSeen): boolean {
  const { by, reason } = each;
  return (
    before.by.length === 0 &&
    contentOf({ ...before, by, reason }, seen.approval) === contentOf(each, seen.approval) &&
    seen.approval.effects.some(({ at }) => mayBeForgotten(seen, at))
  );
}

/** The store has forgotten once more who decided. */
function isForgottenAgain(seen: Case, before: CallbackSeen, each: CallbackSeen): boolean {
  return wentBackBetween(seen, before.at, each.at) && isRecalled(seen, each, before);
}

/** If only the service has the description, it may become known, and with it another digest. */
function contentOf(each: CallbackSeen, { prompt }: Case['approval']): string {
  const { type, record, status, by, reason, digest, saidAt } = each;
  return JSON.stringify([type, record, status, by, reason, prompt ?? digest, saidAt]);
}

/** Two messages about the same event under different ids. */
function double(seen: Case, taken: readonly CallbackSeen[]): Violation[] {
  const byId = [...new Map(taken.map((each) => [each.id, each])).values()];
  return byId.flatMap((each, place) => {
    const before = byId.slice(0, place).filter(({ record }) => record === each.record);
    const { at, saidAt, id } = each;
    const isRight = (earlier: CallbackSeen) =>
      wasRedone(seen, earlier, each) || isLate(seen, earlier, each) || isLate(seen, each, earlier);
    const ended = isEnd(each) && before.find((earlier) => isEnd(earlier) && !isRight(earlier));
    if (ended) {
      const what = `its end was told as ${ended.type} (${ended.id}) and as ${each.type} (${id})`;
      return [violation(seen, 'double', what, { at })];
    }
    const posted = before.find(({ type }) => type === POSTED);
    if (posted !== undefined && each.type === POSTED && !mayBePostedAgain(seen, posted, each)) {
      return [violation(seen, 'double', `${posted.id} came again as ${id}`, { at })];
    }
    const first = [each, ...before].find(({ type }) => type === POSTED);
    const last = [each, ...before].find(isEnd);
    if (first === undefined || last === undefined || first.saidAt <= last.saidAt) return [];
    if (wasRedone(seen, last, first)) return [];
    const what = `it says that it was posted after its end (${first.id}, ${last.id})`;
    return [violation(seen, 'false', what, { at: Math.max(at, saidAt) })];
  });
}

/** It was withdrawn while the store did not know, or no longer, that it was decided. */
function isLate({ approval, run }: Case, withdrawn: CallbackSeen, decided: CallbackSeen): boolean {
  const isForgotten = ({ at, status }: Effect) =>
    status === decided.status &&
    run.lapses.some((lapse) => lapse.from <= at && at <= lapse.at && lapse.at <= withdrawn.at);
  return withdrawn.type === 'approval.withdrawn' && approval.effects.some(isForgotten);
}

/** The store forgot one of them. */
function wasRedone({ run }: Case, one: CallbackSeen, other: CallbackSeen): boolean {
  const from = Math.min(one.saidAt, other.saidAt);
  const until = Math.max(one.saidAt, other.saidAt);
  return run.lapses.some((lapse) => lapse.from <= until && lapse.at >= from);
}

function mayBePostedAgain(seen: Case, one: CallbackSeen, other: CallbackSeen): boolean {
  const isDeleted = seen.messages.some(({ deletedAt }) => deletedAt !== null);
  return isDeleted || wasRedone(seen, one, other);
}

function lost(seen: Case, taken: readonly CallbackSeen[]): Violation[] {
  const { approval, records, messages, audit } = seen;
  const accepted = acceptedIn(seen);
  if (accepted === undefined || mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at))
    return [];
  const record = records.at(-1);
  const own = taken.filter((each) => each.record === record);
  const wrong: Violation[] = [];
  const [effect] = effectBy(seen, Number.POSITIVE_INFINITY);
  const isWithdrawn =
    approval.withdrawals.length > 0 &&
    (audit?.some(({ action }) => action === 'approvals.withdrawn') === true ||
      messages.some(({ versions }) => versions.some((each) => claimsOf(each).withdrawn)));
  const wanted = [
    ...(effect === undefined ? [] : [endOf(effect.status)]),
    ...(isWithdrawn ? ['approval.withdrawn'] : []),
  ];
  if (wanted.length > 0 && !own.some(({ type }) => wanted.includes(type))) {
    const what = `it ended, and nobody was called back with ${wanted.join(' or ')}`;
    wrong.push(violation(seen, 'lost', what));
  }
  const asked = messages.find(
    (each) => recordOf(each) === record && postOf(each)?.startsWith('message') === true,
  );
  const askedAt = asked?.versions[0]?.at;
  if (askedAt === undefined || isWithdrawn) return wrong;
  // If it ended before its post was known to be there, no callback tells of the post: a press on the message of an
  // earlier record, which the store has forgotten, ends it, too.
  const isAnswered =
    effect?.how === 'interface' && !approval.effects.some(({ at }) => at < askedAt);
  if (effect !== undefined && !isAnswered) return wrong;
  if (own.some(({ type }) => type === POSTED) || mayBeForgotten(seen, askedAt)) return wrong;
  // That a press had made it known was forgotten, and then it had ended.
  const [stated] = statedIn(seen);
  if (stated !== undefined && wentBackBetween(seen, askedAt, stated.at)) return wrong;
  return [...wrong, violation(seen, 'lost', 'it was posted, and nobody was called back')];
}

function endOf(status: Status): string {
  return status === 'TIMED_OUT' ? 'approval.timed_out' : 'approval.decided';
}
