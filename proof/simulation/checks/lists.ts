import {
  acceptedIn,
  type Case,
  effectBy,
  hadRight,
  hadRightThroughout,
  mayBeLost,
  mayReviewFor,
  postOf,
  reviewsFrom,
  violation,
  wentBackBetween,
} from '../case.ts';
import { claimsOf } from '../claims.ts';
import type { ListSeen, Violation } from '../evidence.ts';

/** What is noted before it is shown may be lost in between. */
const NOTED_MS = 3_000;
/** What they read may answer a command of theirs that is as much older. */
const BEFORE_MS = 30_000;
/** How long a press may lead to a decision that is in flight. */
const UNDER_WAY_MS = 60_000;
/** How old the facts about people in `/approvals` may be; clocks of processes may be that far apart, too. */
const OLD_MS = 60_000;
/** The service's responses for approvals that it does not know, or no longer shows. */
const NOT_SHOWN: ReadonlySet<number> = new Set([404, 409, 410]);

/**
 * `/approvals` lists everything that waits for the person who types it, over all of its pages, and nothing else; the same
 * of what was decided.
 */
export function lists(seen: Case): Violation[] {
  const { approval, run } = seen;
  return (run.lists ?? []).flatMap((list) => {
    const { person, until: at } = list;
    if (list.isOfDecided) return decided(seen, list);
    if (!list.titles.includes(approval.title)) {
      if (!list.isWhole || !waitedThroughout(seen, list)) return [];
      const what = 'it waited for a decision, and was not listed';
      return [violation(seen, 'lost', what, { person, at })];
    }
    const wrong = [];
    const since = list.from - OLD_MS;
    const mayDecide =
      hadRight(seen, person, since, at + OLD_MS) || mayReviewFor(seen, person, since, at);
    if (!mayDecide)
      wrong.push(
        violation(seen, 'false', 'it was listed for who cannot decide it', { person, at }),
      );
    if (wasOver(seen, list))
      wrong.push(violation(seen, 'false', 'it was over, and was listed', { person, at }));
    return wrong;
  });
}

function decided(seen: Case, list: ListSeen): Violation[] {
  const { approval } = seen;
  const { person, until: at } = list;
  const isListed = list.titles.includes(approval.title);
  if (isListed && effectBy(seen, at).length === 0)
    return [violation(seen, 'false', 'it was listed as decided, and was not', { person, at })];
  const isMissing = !isListed && list.isWhole && wasDecided(seen, list);
  if (!isMissing) return [];
  return [violation(seen, 'lost', 'it was decided, and was not listed', { person, at })];
}

/** Its message said so before, the store never went back, and the person could certainly decide it. */
function wasDecided(seen: Case, { person, from, until }: ListSeen): boolean {
  const isShown = seen.messages.some(({ versions }) =>
    versions.some((version) => version.at < from && claimsOf(version).status !== null),
  );
  // It may have been decided before it was escalated to them.
  const isOfOthers = reviewsFrom(seen, person).surely > seen.approval.madeAt;
  return (
    isShown &&
    !isOfOthers &&
    !wentBackBetween(seen, seen.approval.madeAt, until) &&
    hadRightThroughout(seen, person, from - OLD_MS, until) &&
    !isDoubtful(seen, from, until)
  );
}

/** Somebody made false statements about people. */
function isDoubtful({ run }: Case, from: number, until: number): boolean {
  return (run.doubts ?? []).some((each) => each.from <= until && each.to >= from - OLD_MS);
}

/** Its message said so before, and the store has not gone back since the request. */
function wasOver(seen: Case, { from, until }: ListSeen): boolean {
  return seen.messages.some(({ versions }) =>
    versions.some((version) => {
      const { status, withdrawn } = claimsOf(version);
      const isEnd = status !== null || withdrawn;
      const notedAt = (version.sentAt ?? version.at) - NOTED_MS;
      return isEnd && version.at < from - BEFORE_MS && !wentBackBetween(seen, notedAt, until);
    }),
  );
}

/** No press was in flight, nothing had ended it, and the person could certainly decide. */
function waitedThroughout(seen: Case, { person, from, until }: ListSeen): boolean {
  const { approval, presses, messages } = seen;
  const accepted = acceptedIn(seen);
  const takenAt = accepted?.answeredAt ?? Number.POSITIVE_INFINITY;
  if (accepted === undefined || takenAt > from || mayBeLost(seen, takenAt, accepted.at))
    return false;
  // For an own gate a press is the end, and a process's clock determines the time-out.
  const isOwn = approval.authority === 'gatepost';
  const skewMs = isOwn ? OLD_MS : 0;
  const pressedSince = isOwn ? approval.madeAt : from - UNDER_WAY_MS;
  const isOpen =
    (approval.deadlineAt ?? Number.POSITIVE_INFINITY) > until + skewMs &&
    !approval.effects.some(({ at }) => at <= until) &&
    !approval.withdrawals.some(({ at }) => at <= until) &&
    !presses.some(({ at }) => at <= until && at >= pressedSince) &&
    !wentBackBetween(seen, accepted.at, until);
  const shown = messages
    .filter((message) => postOf(message)?.startsWith('message'))
    .flatMap(({ versions }) => versions.filter((version) => version.at <= until + OLD_MS));
  // A decision may be in flight for minutes.
  const isUnknown = shown.some((version) => {
    const { unknown, undecided, sent } = claimsOf(version);
    return unknown || undecided.length > 0 || sent.length > 0;
  });
  // If Slack accepts no change of a message, the message does not show that the service did not answer.
  const isUntold = approval.calls.some(
    ({ operation, at, readable, status }) =>
      operation === 'read' &&
      at <= until &&
      at >= from - UNDER_WAY_MS &&
      (!readable || (status !== null && NOT_SHOWN.has(status))),
  );
  const mayDecide =
    hadRightThroughout(seen, person, from - OLD_MS, until) &&
    approval.mayBeRefused?.includes(person) !== true;
  return isOpen && mayDecide && !isUnknown && !isUntold && !isDoubtful(seen, from, until);
}
