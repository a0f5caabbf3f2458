import { type Case, postOf } from '../case.ts';
import { KNOWN_MS } from '../checks/closings.ts';
import { sentAt } from '../checks/decisions.ts';
import { SPENT } from '../checks/spent.ts';
import { claimsOf } from '../claims.ts';
import { mayBeClosed, surelyClosedIn } from '../closed-then.ts';
import type { MessageSeen, Press, Version } from '../evidence.ts';
import { firstPostedAt, type RuleMet, row, SOON_MS, told } from './row.ts';

/** What becomes of a decision, and what people and messages say of it. */
export const DECISION_ROWS: readonly RuleMet[] = [
  row('decision', 'given up after its answer was lost', (seen) => (isGivenUp(seen) ? 1 : 0)),
  row('decision', 'given up after two answers were lost', (seen) => (lostIn(seen) === 2 ? 1 : 0)),
  row('decision', 'an earlier refusal read while it is in doubt', (seen) =>
    isRefusalLate(seen) ? 1 : 0,
  ),
  row('decision', 'refused, and told those who approved', (seen) => told(seen, SPENT)),

  row(
    'message',
    'changed by a process that stood still',
    ({ messages }) => messages.filter(wasChangedBack).length,
  ),
  row('message', 'said late that a decision is sent', (seen) =>
    seen.approval.message === seen.approval.title
      ? seen.messages.filter(saidLateThatItIsSent).length
      : 0,
  ),

  row('answers', 'two to one person at once', twoAtOnce),

  row('withdrawal', 'before a refusal is read', (seen) => (isWithdrawnFirst(seen) ? 1 : 0)),
  row('withdrawal', 'while its decision is sent again', (seen) =>
    isWithdrawnUnsent(seen) ? 1 : 0,
  ),

  { ...row('own gate', 'its decision is forgotten', forgottenDecisions), isOfLapses: true },
  {
    ...row('decision', 'forgotten, and shown', (seen) =>
      forgottenAfter(seen, (press, { from }) => from < press.at),
    ),
    isOfLapses: true,
  },
  {
    ...row('decision', 'its end is forgotten, and shown', (seen) =>
      forgottenAfter(seen, (press, { from }) => press.at < from && isSentAt(seen, from)),
    ),
    isOfLapses: true,
  },

  row('closed', 'pressed meanwhile', (seen) =>
    told(seen, /Your approval does not count\. Press again/),
  ),
  row('closed', 'an approval not sent', (seen) => told(seen, NOT_SENT)),
  row('closed', 'more approvals than needed, and none sent', (seen) =>
    isMoreNotSent(seen) ? 1 : 0,
  ),
  row(
    'closed',
    'opened again',
    ({ messages }) => messages.filter((each) => postOf(each)?.startsWith('opened-')).length,
  ),
  row('closed', 'asked after it was opened early', askedSinceOpened),
  row('closed', 'when people would be reminded', closedAtReminder),
];

/** How many closings of its route would have gone on as its message was posted, and had ended before it was asked for. */
function askedSinceOpened(seen: Case): number {
  const { run, approval } = seen;
  const { route, madeAt } = approval;
  const postedAt = firstPostedAt(seen);
  if (postedAt === undefined || mayBeClosed(run, route, madeAt, postedAt)) return 0;
  return (run.closings ?? []).filter(
    ({ route: closed, to, until = 0 }) =>
      closed === route && to < madeAt && postedAt < until - ROUNDED_MS,
  ).length;
}

/** How many closings of its route were known, and went on, when people would have been reminded. */
function closedAtReminder(seen: Case): number {
  const { run, approval, presses } = seen;
  const { route, remindMs, effects } = approval;
  const postedAt = firstPostedAt(seen);
  if (remindMs === undefined || postedAt === undefined || presses.length > 0) return 0;
  const endsAt = Math.min(...effects.map(({ at }) => at));
  const dueAt = [1, 2].map((times) => postedAt + times * remindMs).filter((at) => at < endsAt);
  return surelyClosedIn(run, route).filter(({ from, until }) =>
    dueAt.some((at) => from + KNOWN_MS < at && at < until - POSTED_MS),
  ).length;
}

/** How long a post may take. */
const POSTED_MS = 5_000;

/** People read whole seconds. */
const ROUNDED_MS = 1_500;

const IN_DOUBT = /The decision may not have reached the service/;

/**
 * How often the service failed at the decision of the only person who had pressed, when they read that it may not have
 * reached it: after the second time that is as soon as nothing can be in flight any more.
 */
function lostIn({ approval: { calls }, presses, told: all }: Case): number {
  const until = all.find(({ text }) => IN_DOUBT.test(text))?.at ?? 0;
  const responds = calls.filter((each) => each.operation === 'respond' && each.at <= until);
  const isSo =
    presses.filter(({ at }) => at <= until).length === 1 &&
    responds.every(({ status }) => status !== null && status >= 500);
  const isSoon = until < (responds[1]?.at ?? until) + IN_FLIGHT_MS;
  return isSo && isSoon ? responds.length : 0;
}

/** After one such answer nothing but tries of the decision followed: nobody looked what had become of it. */
function isGivenUp(seen: Case): boolean {
  const until = seen.told.find(({ text }) => IN_DOUBT.test(text))?.at ?? 0;
  const last = seen.approval.tries?.findLast(({ at }) => at <= until);
  return lostIn(seen) === 1 && last?.operation === 'respond';
}

/** How long a decision may be in flight, and a read after that. */
const IN_FLIGHT_MS = 19_000;

/** After it showed the end, a process changed it that had stood still since before that, and nothing else was due. */
function wasChangedBack({ versions }: MessageSeen): boolean {
  const isEnd = (version: Version) => {
    const { status, withdrawn } = claimsOf(version);
    return withdrawn || status !== null;
  };
  const endAt = versions.find(isEnd)?.at ?? Number.POSITIVE_INFINITY;
  return versions.some((each, place) => {
    const { at, sentAt = at } = each;
    const next = versions[place + 1]?.at ?? Number.POSITIVE_INFINITY;
    return at > endAt && at > sentAt + 38_000 && !isEnd(each) && next > at + 29_000;
  });
}

/** It showed the end, and then what was sent before that: that a decision is being sent. */
function saidLateThatItIsSent({ versions }: MessageSeen): boolean {
  const end = versions.find((each) => claimsOf(each).status !== null);
  return versions.some((each) => {
    const { at, sentAt = at, text } = each;
    const isEarlier = end !== undefined && sentAt < (end.sentAt ?? end.at) && at > end.at;
    return isEarlier && /^Sending a decision: /.test(text);
  });
}

/** How many people read about each of two presses that it was decided elsewhere after both. */
function twoAtOnce({ told: all, presses, approval }: Case): number {
  const [{ at: decidedAt } = { at: 0 }] = approval.effects;
  const heard = (action: Press['action'], pattern: RegExp) =>
    all
      .filter(({ text }) => pattern.test(text))
      .map(({ person }) => person)
      .filter((person) =>
        presses.some(
          ({ acknowledgedAt, ...each }) =>
            each.person === person &&
            each.action === action &&
            acknowledgedAt !== null &&
            acknowledgedAt < decidedAt,
        ),
      );
  const approvers = heard('approve', / elsewhere\. Your approval was not counted\.$/);
  const rejecters = heard('reject', / elsewhere\. Your rejection was not counted\.$/);
  return approvers.filter((each) => rejecters.includes(each)).length;
}

/** Its decision had not reached the service as it was withdrawn, and was to be sent again. */
function isWithdrawnUnsent({ audit }: Case): boolean {
  const own = audit ?? [];
  const withdrawn = own.findIndex(({ action }) => action === 'approvals.withdrawn');
  const last = own.slice(0, Math.max(0, withdrawn)).at(-1);
  return last?.action === 'approvals.answered' && last.facts.class === 'not-sent';
}

/** That the service was too busy was noted after its withdrawal, and nobody had read the status in between. */
function isWithdrawnFirst({ approval, audit }: Case): boolean {
  const own = audit ?? [];
  const withdrawn = own.findIndex(({ action }) => action === 'approvals.withdrawn');
  const begun = own.slice(0, withdrawn).findLast(({ action }) => action === 'approvals.respond');
  const noted = own.slice(withdrawn).find(({ action }) => action === 'approvals.answered');
  if (withdrawn < 0 || begun === undefined || noted?.facts.answer !== 'http_429') return false;
  const { at: from = 0 } = begun;
  const { at: until = 0 } = noted;
  return !isReadBetween(approval, from, until);
}

/**
 * That the service had been too busy for the decision of the only press was noted after it had been sent again, and
 * before anything was known of that.
 */
function isRefusalLate({ approval, audit, presses }: Case): boolean {
  const [first, again] = approval.calls.filter((each) => each.operation === 'respond');
  if (first?.status !== 429 || again === undefined || again.status === 429) return false;
  const own = audit ?? [];
  const sent = own.flatMap(({ action }, place) => (action === 'approvals.respond' ? [place] : []));
  const [, place = own.length] = sent;
  const noted = own.slice(place).find(({ action }) => action === 'approvals.answered');
  const { at: from = 0 } = own[place] ?? {};
  const { at: until = 0 } = noted ?? {};
  const isAlone = presses.filter((each) => each.at <= until).length === 1;
  return noted?.facts.answer === 'http_429' && isAlone && !isReadBetween(approval, from, until);
}

function isReadBetween({ tries = [] }: Case['approval'], from: number, until: number): boolean {
  return tries.some(({ operation, at }) => operation === 'read' && from < at && at < until);
}

/** How often the message of an own gate, which waits on, said how it ended when the store went back to before that. */
function forgottenDecisions(seen: Case): number {
  const { approval, presses, run } = seen;
  if (approval.authority !== 'gatepost') return 0;
  const said = decidedAt(seen);
  return run.lapses.filter(
    ({ from, at }) =>
      said < at &&
      at + SOON_MS < (approval.deadlineAt ?? 0) &&
      presses.every((press) => from < press.at && press.at < said),
  ).length;
}

/** How often the store went back after the message had said that somebody decided, whose only press was then. */
function forgottenAfter(
  seen: Case,
  isThen: (press: Press, lapse: Case['run']['lapses'][number]) => boolean,
): number {
  const { approval, presses, run } = seen;
  const said = decidedAt(seen);
  const [press] = presses;
  if (approval.authority !== 'service' || press === undefined || presses.length > 1) return 0;
  return run.lapses.filter((each) => said < each.at && each.from < said && isThen(press, each))
    .length;
}

/** When its message said first that somebody decided; NaN: never. */
function decidedAt({ messages }: Case): number {
  const versions = messages.flatMap((each) => (postOf(each) === 'message' ? each.versions : []));
  const isDecided = (version: Version) =>
    ['APPROVED', 'REJECTED'].includes(claimsOf(version).status ?? '');
  return versions.find(isDecided)?.at ?? Number.NaN;
}

/** A decision was on its way then. */
function isSentAt({ approval }: Case, at: number): boolean {
  const calls = approval.calls.filter(({ operation }) => operation === 'respond');
  return calls.some((call) => sentAt(call) <= at && at <= call.at);
}

const NOT_SENT = /was not sent and no longer counts/;

/** More than enough had approved, and none of that was sent. */
function isMoreNotSent(seen: Case): boolean {
  const { approval, presses } = seen;
  const saidAt = seen.told.find(({ text }) => NOT_SENT.test(text))?.at ?? 0;
  const before = presses.filter(({ action, at }) => action === 'approve' && at < saidAt);
  return new Set(before.map(({ person }) => person)).size > approval.quorum;
}
