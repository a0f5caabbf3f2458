import { type Case, rightsOf, violation } from '../case.ts';
import type { AuditSeen, Violation } from '../evidence.ts';

const BALLOT = 'approvals.ballot';

/**
 * A ballot that counted, and whose person can no longer decide, does not count any more: they read why. A press has one
 * entry in the log, so that a further one is about a ballot that was authorized again.
 */
export function noLongerCounts(seen: Case): Violation[] {
  const { audit, run } = seen;
  // A store that went back may have lost an entry, or authorized a press twice.
  if (audit === null || run.lapses.length > 0) return [];
  const entries = audit.filter(({ action }) => action === BALLOT);
  return [...new Set(entries.map(({ actor }) => actor))].flatMap((person) => {
    const own = entries.filter(({ actor }) => actor === person);
    const place = own.findIndex((each) => !isRefused(each));
    const isRefusedLater = place >= 0 && own.slice(place + 1).some(isRefused);
    const pressed = seen.presses.filter((each) => each.person === person);
    const copies = pressed.filter(({ doubled }) => doubled === true);
    if (!isRefusedLater || own.length <= pressed.length + copies.length) return [];
    if (isTold(seen, person) || wasGone(seen, person)) return [];
    const what = 'their ballot counted and no longer does, and they did not read why';
    return [violation(seen, 'unanswered', what, { person, at: pressed.at(-1)?.at ?? null })];
  });
}

/**
 * An approval is not sent without enough of them. Only of somebody who pressed once it is certain that their second entry
 * is no press.
 */
export function sentWithout(seen: Case): Violation[] {
  const { audit, run, approval } = seen;
  if (audit === null || run.lapses.length > 0) return [];
  const place = audit.findLastIndex(
    ({ action, facts }) => action === 'approvals.respond' && facts.action === 'approve',
  );
  const own = audit.slice(0, Math.max(0, place)).filter(({ action }) => action === BALLOT);
  const approvers = own.filter((each) => each.facts.action === 'approve' && !isRefused(each));
  const all = [...new Set(approvers.map(({ actor }) => actor))];
  const left = all.filter((each) => !isDropped(seen, each, own));
  if (left.length === all.length || left.length >= approval.quorum) return [];
  const what = `it was sent with ${left.length} of ${approval.quorum} approvals, after others no longer counted`;
  return [violation(seen, 'false', what)];
}

function isDropped({ presses }: Case, person: string, ballots: readonly AuditSeen[]): boolean {
  const [first, second, ...more] = ballots.filter(({ actor }) => actor === person);
  const [press, ...others] = presses.filter((each) => each.person === person);
  const isOne = press?.doubled !== true && others.length === 0 && more.length === 0;
  return isOne && first?.facts.refused === undefined && second?.facts.refused !== undefined;
}

function isRefused({ facts }: AuditSeen): boolean {
  return facts.refused !== undefined;
}

/** Of theirs, not of somebody else's. Also because the route was closed, or a decision waited, or is not sent again. */
const WHY =
  /\bno longer counts(?:[.,]|: (?!they can))|\bdoes not count\. While it was waiting, |\bwas not sent again: /;

function isTold({ told }: Case, person: string): boolean {
  return told.some((each) => each.person === person && WHY.test(each.text));
}

/** Nobody can tell a person who has left Slack. */
function wasGone({ run }: Case, person: string): boolean {
  return rightsOf(run, person).some(({ gone }) => gone);
}
