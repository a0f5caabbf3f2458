import { type Case, pressesBy, rightsOf, violation } from '../case.ts';
import { othersThatMayBeOf } from '../enough.ts';
import type { AuditSeen, Violation } from '../evidence.ts';
import { sentAt } from './decisions.ts';

/** Somebody read that the decision failed that their approval was part of. */
export const SPENT =
  /\bno longer counts, because the decision it was part of could not be carried out\./;
/** Somebody read that the service refused theirs. */
const REFUSED =
  /\bThe service (?:refused Gatepost's request|did not accept your decision\.|refused your decision)/;
/** Of theirs, for whatever reason; not of somebody else's. */
export const NOT_COUNTED =
  /^Your approval of [^\n]* (?:no longer counts|does not count|was part of a decision)|\bYour approval was not sent\./;

/**
 * If the service refuses an approval for certain, the approvals of others that were part of it are spent: they read so.
 * Only of the first decision, before anybody took something back.
 */
export function spent(seen: Case): Violation[] {
  const { audit, approval, run, takeBacks } = seen;
  // A store that went back may have lost an approval.
  if (audit === null || run.lapses.length > 0 || takeBacks.length > 0) return [];
  const place = audit.findIndex(({ action }) => action === 'approvals.respond');
  const first = audit[place];
  const call = approval.calls.find(({ operation }) => operation === 'respond');
  if (first?.facts.action !== 'approve' || call === undefined) return [];
  const { actor: author } = first;
  const { status } = call;
  const isRefused = status !== null && status >= 400 && status < 500 && status !== 429;
  const isTold = seen.told.some(
    (each) => each.person === author && each.at >= sentAt(call) && REFUSED.test(each.text),
  );
  if (!isRefused || !isTold) return [];
  return approversIn(audit.slice(0, place)).flatMap((person) => {
    const [press] = pressesBy(seen, person, 'approve', call.at);
    // Of two accounts the one that pressed last is told.
    const accounts = [person, ...othersThatMayBeOf(seen, person, call.at)];
    const isNoted = seen.told.some(
      (each) =>
        accounts.includes(each.person) &&
        each.at >= (press?.at ?? 0) &&
        // Or theirs was refused before it was noted, and this decision is another one.
        (NOT_COUNTED.test(each.text) || REFUSED.test(each.text)),
    );
    // Nobody can tell a person who has left Slack.
    const isGone = rightsOf(run, person).some(({ gone }) => gone);
    if (person === author || isNoted || isGone) return [];
    const what =
      'the decision that their approval was part of was refused, and they did not read so';
    return [violation(seen, 'unanswered', what, { person, at: call.at })];
  });
}

/** Whose last ballot was an approval, and was accepted. */
function approversIn(audit: readonly AuditSeen[]): readonly string[] {
  const ballots = audit.filter(({ action }) => action === 'approvals.ballot');
  const last = new Map(ballots.map((each) => [each.actor, each]));
  return [...last.values()].flatMap(({ actor, facts }) =>
    facts.action === 'approve' && facts.refused === undefined ? [actor] : [],
  );
}
