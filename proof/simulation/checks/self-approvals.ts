import {
  type Case,
  couldDecide,
  hadRight,
  hadRightThroughout,
  mayBeLost,
  postOf,
  recordOf,
  violation,
  wentBackBetween,
} from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { AuditSeen, MessageSeen, TakeBack, Told, Version, Violation } from '../evidence.ts';
import { SELF_APPROVAL } from './messages.ts';

/**
 * The requester of an own gate approves it only with a reason and once the others are told; its message says so, and
 * asks for a review until another reviewer has done it.
 */
export function selfApprovals(seen: Case): Violation[] {
  return [
    ...seen.messages.flatMap((message) => [
      ...message.versions.flatMap((version) => untrue(seen, message, version)),
      ...unreviewed(seen, message),
    ]),
    ...quietCallbacks(seen),
    ...logged(seen),
    ...seen.reviews.flatMap((each) => unanswered(seen, each)),
    ...seen.told.flatMap((each) => lies(seen, each)),
  ];
}

function isAsker({ approval }: Case, person: string): boolean {
  return approval.askers?.includes(person) === true;
}

/** According to the log, the requester approved it. */
function ownOutcome(seen: Case): AuditSeen | undefined {
  if (seen.approval.isLoud !== true) return undefined;
  return seen.audit?.find(
    ({ action, actor, facts }) =>
      action === 'approvals.outcome' &&
      facts.status === 'APPROVED' &&
      actor.split(',').some((each) => isAsker(seen, each)),
  );
}

function isMain(message: MessageSeen): boolean {
  return postOf(message)?.startsWith('message') === true;
}

function untrue(seen: Case, message: MessageSeen, version: Version): Violation[] {
  const { status, by, self } = claimsOf(version);
  const { at, sentAt = at } = version;
  const wrong: string[] = [];
  const isByAsker = seen.approval.isLoud === true && by.some((each) => isAsker(seen, each));
  if (status === 'APPROVED' && isByAsker) {
    if (self === null && isMain(message))
      wrong.push('that who asked approved it, as if that was usual');
    wrong.push(...untold(seen, sentAt).map((what) => `that who asked approved it, ${what}`));
  }
  if (self !== null) wrong.push(...misstated(seen, self, at, isMain(message)));
  const where = `${postOf(message)} in ${message.channel}`;
  return wrong.map((what) => violation(seen, 'false', `${where} said ${what}`, { at }));
}

/** Why nobody could know of it by then, each as text. */
function untold(seen: Case, until: number): string[] {
  const { approval, messages } = seen;
  const { asked = [], ofRoute = asked, reasons = [] } = approval;
  const others = ofRoute.filter((each) => !isAsker(seen, each));
  const replies = messages.filter(
    (each) =>
      postOf(each)?.startsWith(SELF_APPROVAL) === true &&
      (each.versions[0]?.at ?? Number.POSITIVE_INFINITY) <= until,
  );
  const given = reasons.filter(
    ({ person, action }) => action === 'approve' && isAsker(seen, person),
  );
  const isTold = (each: MessageSeen) =>
    others.every((person) => each.versions[0]?.text.includes(`<@${person}>`));
  const isQuoted = (each: MessageSeen) => {
    const [first] = each.versions;
    const quotes = first === undefined ? [] : claimsOf(first).quotes;
    return given.some(({ text }) => quotes.some((quote) => quote.text === text));
  };
  if (given.length === 0) return ['who gave no reason'];
  if (others.length === 0) return ['and there is nobody else to tell'];
  if (replies.length === 0) return ['and nobody was told before'];
  if (!replies.some(isTold)) return ['and not all of the others were told before'];
  return replies.some((each) => isTold(each) && isQuoted(each))
    ? []
    : ['and the others did not read the reason'];
}

function misstated(
  seen: Case,
  self: NonNullable<Claims['self']>,
  at: number,
  hasButtons: boolean,
): string[] {
  const { person, reviewer, asks } = self;
  const wrong: string[] = [];
  if (!isAsker(seen, person) || !couldDecide(seen, person, 'approve', at))
    wrong.push(`that ${person} approved what they asked for, who did not, or could not`);
  if (hasButtons && asks === (reviewer !== null))
    wrong.push(asks ? 'that somebody has to review it, who had' : 'nothing of who reviews it');
  if (reviewer !== null && !mayHaveReviewed(seen, reviewer, at))
    wrong.push(`that ${reviewer} reviewed it, who had not, or could not`);
  return wrong;
}

function mayHaveReviewed(seen: Case, reviewer: string, until: number): boolean {
  const own = seen.reviews.filter((each) => each.person === reviewer && each.at <= until);
  return !isAsker(seen, reviewer) && own.some(({ at }) => hadRight(seen, reviewer, at, until));
}

/** A callback may arrive before the channel is told. */
function quietCallbacks(seen: Case): Violation[] {
  if (seen.approval.isLoud !== true) return [];
  return (seen.callbacks ?? []).flatMap(({ status, by, at }) => {
    if (status !== 'APPROVED' || !by.some((each) => isAsker(seen, each))) return [];
    return untold(seen, at).map((what) =>
      violation(seen, 'false', `a callback says that who asked approved it, ${what}`, { at }),
    );
  });
}

/** The longest time a press is processed: what it needs is retried for half a minute. */
const LOOKED_AT_MS = 60_000;

/** Another person who could review it did, and its message does not say so, or no longer does. */
function unreviewed(seen: Case, message: MessageSeen): Violation[] {
  const last = message.versions.at(-1);
  if (last === undefined || !isMain(message) || message.deletedAt !== null) return [];
  const { self } = claimsOf(last);
  if (self === null || self.reviewer !== null || recordOf(message) !== seen.records.at(-1))
    return [];
  const isIn = ({ person, at, acknowledgedAt }: TakeBack) =>
    acknowledgedAt !== null &&
    !mayBeLost(seen, acknowledgedAt, at) &&
    !wentBackBetween(seen, at, at + LOOKED_AT_MS) &&
    !isAsker(seen, person) &&
    // They may have read that their right could not be checked.
    !seen.told.some((each) => each.person === person && each.at >= at) &&
    hadRightThroughout(seen, person, at - LOOKED_AT_MS, at + LOOKED_AT_MS) &&
    !isInDoubt(seen, at);
  const press = seen.reviews.find(isIn);
  if (press === undefined) return [];
  const what = 'it was reviewed, and its message does not say so';
  return [violation(seen, 'lost', what, { person: press.person, at: press.at })];
}

function isInDoubt({ run }: Case, since: number, until = since + LOOKED_AT_MS): boolean {
  return (run.doubts ?? []).some(({ from, to }) => from <= until && to >= since);
}

/** The log has each of them, and who reviewed it: once, and never the requester. */
function logged(seen: Case): Violation[] {
  const { audit, approval } = seen;
  const all = (audit ?? []).filter(({ action }) => action.startsWith('approvals.self-approval'));
  const made = all.filter(({ action }) => action === 'approvals.self-approval');
  const reviewed = all.filter(({ action }) => action === 'approvals.self-approval.reviewed');
  const outcome = ownOutcome(seen);
  const wrong: (readonly ['lost' | 'false' | 'double', string])[] = [];
  if (outcome !== undefined && outcome.facts.recalled !== true && made.length === 0)
    wrong.push(['lost', 'the log does not find that who asked approved it']);
  if (made.some(({ actor }) => !isAsker(seen, actor)) || (made.length > 0 && !approval.isLoud))
    wrong.push(['false', 'the log says that who asked approved it, who did not']);
  for (const { actor } of reviewed)
    if (!mayHaveReviewed(seen, actor, Number.POSITIVE_INFINITY))
      wrong.push(['false', `the log says that ${actor} reviewed it, who had not, or could not`]);
  if (reviewed.length > 1 && seen.run.lapses.length === 0)
    wrong.push(['double', `the log has ${reviewed.length} reviews`]);
  return wrong.map(([kind, what]) => violation(seen, kind, what));
}

/** A press without an effect is answered. */
function unanswered(seen: Case, { person, at, acknowledgedAt, shown }: TakeBack): Violation[] {
  if (acknowledgedAt === null) {
    if (shown !== null) return [];
    return [violation(seen, 'unanswered', 'a press on Reviewed showed nothing', { person, at })];
  }
  const isCounted = seen.audit?.some(
    ({ action, actor }) => action === 'approvals.self-approval.reviewed' && actor === person,
  );
  const isTold = [...seen.told, ...(seen.unnamed.get(person) ?? [])].some(
    (each) => each.person === person && each.at >= at,
  );
  const isGone = seen.run.rights.some((each) => each.person === person && each.gone === true);
  if (isCounted || isTold || isGone || mayBeLost(seen, acknowledgedAt, at)) return [];
  const what = 'Reviewed was acknowledged, and neither counted nor answered';
  return [violation(seen, 'unanswered', what, { person, at })];
}

const OWN = /so another reviewer has to press Reviewed\.$/;
const NOT_ABLE = /^Only people who can decide \*[^\n]*\* can mark it as reviewed/;
const ALREADY = /\* was already marked as reviewed by <@(\w+)>\./;
const NOT_APPROVED = /\* was not approved: Slack (?:did not confirm|refused) the reply/;

function lies(seen: Case, { person, at, text }: Told): Violation[] {
  const wrong: string[] = [];
  const first = seen.reviews.find((each) => each.person === person && each.at <= at);
  if (OWN.test(text) && !isAsker(seen, person)) wrong.push('that they had asked for it');
  const since = (first?.at ?? at) - LOOKED_AT_MS;
  if (
    NOT_ABLE.test(text) &&
    !isInDoubt(seen, since, at) &&
    hadRightThroughout(seen, person, since, at)
  )
    wrong.push('that they cannot review it, when they could');
  const reviewer = ALREADY.exec(text)?.[1];
  if (reviewer !== undefined && !mayHaveReviewed(seen, reviewer, at))
    wrong.push(`that ${reviewer} reviewed it, who had not, or could not`);
  if (NOT_APPROVED.test(text) && isApprovedAfterAll(seen, at))
    wrong.push('that it was not approved, and it was');
  return wrong.map((what) =>
    violation(seen, 'false', `${person} was told ${what}: “${text}”`, { person, at }),
  );
}

/** A press may be that old when it is processed. */
const WAITED_MS = 60_000;

/** By the requester, and nobody had approved it again. */
function isApprovedAfterAll(seen: Case, at: number): boolean {
  const again = seen.presses.some(
    ({ action, at: pressedAt }) => action === 'approve' && pressedAt >= at - WAITED_MS,
  );
  return ownOutcome(seen) !== undefined && !again && seen.run.lapses.length === 0;
}
