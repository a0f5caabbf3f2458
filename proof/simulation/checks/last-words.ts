import { type Case, isForgotten, NOTED_MS, postOf, violation, wasReadSince } from '../case.ts';
import { type Claims, claimsOf } from '../claims.ts';
import type { Lapse, MessageSeen, Version, Violation } from '../evidence.ts';
import { sentAt as sendingOf, stoodStill } from './decisions.ts';

/**
 * Once a message shows the end, nothing else is sent to replace it, and no buttons, unless the store forgot the end.
 * What was in flight before may still arrive. If it is not known when a version was sent, it is not checked. Whom it
 * names as having decided, it names from then on.
 */
export function lastWords(seen: Case): Violation[] {
  return seen.messages.flatMap((message) => [
    ...takenBack(seen, message),
    ...unnamed(seen, message),
  ]);
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
    if (!isOther && mayNotKnow(seen, last, { claims, sentAt: sentAt ?? at })) return [];
    const what = `${postOf(message)} in ${message.channel} said ${endIn(last.claims)}, and then ${inWords(claims)}`;
    return [violation(seen, 'false', what, { at })];
  });
}

/** What the store forgot of that is read from the message, if it was there when the store went back. */
function unnamed({ approval, run }: Case, message: MessageSeen): Violation[] {
  if (approval.authority !== 'service' || postOf(message)?.startsWith('message') !== true)
    return [];
  const said = message.versions.map((version) => ({ ...version, claims: claimsOf(version) }));
  const wasOnItsWay = ({ at, sentAt = at }: Version) =>
    run.lapses.some((lapse) => sentAt <= lapse.at && lapse.at < at);
  return said.flatMap(({ at, sentAt, claims }, place) => {
    const { status, by, sent } = claims;
    if (status === null || by.length + sent.length > 0) return [];
    const named = said
      .slice(0, place)
      .find(
        (each) =>
          sentAt !== undefined &&
          each.at < sentAt &&
          each.claims.status === status &&
          each.claims.by.length > 0,
      );
    if (named === undefined || wasOnItsWay(named)) return [];
    const what = `${postOf(message)} in ${message.channel} named ${named.claims.by.join(', ')}, and then nobody`;
    return [violation({ approval }, 'false', what, { at })];
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

/** What a version says, and when it was sent. */
type Sent = { readonly claims: Claims; readonly sentAt: number };

/**
 * The store went back since, and has not learned again how it ended: from the service, or for an own gate from the
 * message itself. That cannot tell what was still on its way when the store went back, and the service not that its
 * source withdrew it.
 */
function mayNotKnow(
  seen: Case,
  last: Pick<Version, 'at' | 'sentAt'> & { readonly claims: Claims },
  next: Sent,
): boolean {
  const { approval, run } = seen;
  const until = next.sentAt;
  // What is noted before it is shown may be lost in between.
  const notedAt = (last.sentAt ?? last.at) - NOTED_MS;
  const lapse = run.lapses.findLast(({ at }) => notedAt <= at && at <= until);
  if (lapse === undefined) return false;
  const { status, withdrawn } = last.claims;
  if (approval.authority === 'gatepost') {
    const wasOnItsWay = last.sentAt !== undefined && last.sentAt <= lapse.at && lapse.at < last.at;
    return wasOnItsWay || (status !== 'APPROVED' && status !== 'REJECTED');
  }
  if (withdrawn) return true;
  return !wasReadSince(seen, lapse.at, until) && !isUnasked(seen, lapse, last, next);
}

/**
 * Nobody had tried to read the status since the store went back, and the message says that nobody has decided, or that
 * the service has not confirmed what it had confirmed. It may wait for a service that did not answer before.
 */
function isUnasked(seen: Case, lapse: Lapse, last: Pick<Version, 'at'>, next: Sent): boolean {
  const { approval } = seen;
  const { tries } = approval;
  const { claims, sentAt: until } = next;
  const isTried = tries?.some(
    ({ operation, at }) => operation === 'read' && at >= lapse.at && at <= until,
  );
  if (isTried !== false || approval.withdrawals.length > 0 || isForgotten(seen)) return false;
  if (stoodStill({ ...seen, run: { ...seen.run, lapses: [] } }, last.at, until)) return false;
  const isUndecided = claims.undecided.length === 0 && claims.held === null;
  if (claims.waiting && !claims.waitsForService && !claims.stale && isUndecided) return true;
  return claims.unconfirmed && wasConfirmedAtOnce(seen, last.at);
}

/** It was sent once, and its answer arrived: nobody had to look what became of it. */
function wasConfirmedAtOnce({ approval }: Case, until: number): boolean {
  const isSent = ({ operation, at }: { readonly operation: string; readonly at: number }) =>
    operation === 'respond' && at <= until;
  const [sent, ...others] = approval.calls.filter(isSent);
  const isOnce = (approval.tries ?? []).filter(isSent).length === 1 && others.length === 0;
  if (sent === undefined || !isOnce) return false;
  return sent.status === 200 && sent.readable && sent.heard === true && sendingOf(sent) <= until;
}
