import { type Case, rightsOf, violation } from '../case.ts';
import type { AuditSeen, Violation } from '../evidence.ts';

/**
 * A ballot that counted, and whose person can no longer decide, does not count any more: they read why. A press has one
 * entry in the log, so that a further one is about a ballot that was authorized again.
 */
export function noLongerCounts(seen: Case): Violation[] {
  const { audit, run } = seen;
  // A store that went back may have lost an entry, or authorized a press twice.
  if (audit === null || run.lapses.length > 0) return [];
  const entries = audit.filter(({ action }) => action === 'approvals.ballot');
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
