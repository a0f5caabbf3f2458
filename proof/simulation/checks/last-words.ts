import { type Case, postOf, violation } from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { MessageSeen, Version, Violation } from '../evidence.ts';

/**
 * Once a message shows the end, nothing else is sent to replace it, and no buttons, unless the store forgot the end.
 * What was in flight before may still arrive. If it is not known when a version was sent, it is not checked.
 */
export function lastWords(seen: Case): Violation[] {
  return seen.messages.flatMap((message) => takenBack(seen, message));
}

function takenBack(seen: Case, message: MessageSeen): Violation[] {
  const said = message.versions.map((version) => ({ ...version, claims: claimsOf(version) }));
  return said.flatMap(({ at, sentAt, claims }, place) => {
    const before = said.slice(0, place).filter((each) => sentAt !== undefined && each.at < sentAt);
    const last = before.findLast((each) => endIn(each.claims) !== null);
    if (last === undefined || isSame(last.claims, claims)) return [];
    // Only its source knows that it was withdrawn, once the store has forgotten it.
    const isOther =
      !last.claims.withdrawn && claims.status !== null && claims.status !== last.claims.status;
    if (!isOther && mayNotKnow(seen, last, sentAt ?? at)) return [];
    const what = `${postOf(message)} in ${message.channel} said ${endIn(last.claims)}, and then ${inWords(claims)}`;
    return [violation(seen, 'false', what, { at })];
  });
}

function endIn({ status, withdrawn }: Claims): string | null {
  return withdrawn ? 'withdrawn' : status;
}

function isSame(last: Claims, claims: Claims): boolean {
  return endIn(last) === endIn(claims) && !claims.buttons;
}

function inWords(claims: Claims): string {
  const end = endIn(claims) ?? 'that it was not over';
  return claims.buttons ? `${end}, with buttons` : end;
}

/** What is noted before it is shown may be lost in between. */
const NOTED_MS = 3_000;

/**
 * The store went back since, and has not learned again how it ended: from the service, or for an own gate from the
 * message itself. That cannot tell what was still on its way when the store went back.
 */
function mayNotKnow(
  { approval, run }: Case,
  last: Pick<Version, 'at' | 'sentAt'> & { readonly claims: Claims },
  until: number,
): boolean {
  const notedAt = (last.sentAt ?? last.at) - NOTED_MS;
  const lapse = run.lapses.findLast(({ at }) => notedAt <= at && at <= until);
  if (lapse === undefined) return false;
  const { status } = last.claims;
  if (approval.authority === 'gatepost') {
    const wasOnItsWay = last.sentAt !== undefined && last.sentAt <= lapse.at && lapse.at < last.at;
    return wasOnItsWay || (status !== 'APPROVED' && status !== 'REJECTED');
  }
  return !approval.calls.some(
    ({ operation, at, heard }) =>
      operation === 'read' && heard === true && at >= lapse.at && at <= until,
  );
}
