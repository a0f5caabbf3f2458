import { type Case, rightsOf, violation } from '../case.ts';
import type { Action, AuditSeen, Violation } from '../evidence.ts';
import { isCarriedOut } from './decisions.ts';

/**
 * One reject that the log accepted decides, whatever an approval needs: it is sent, or its author reads why not, and
 * nobody's approval overtakes it. The log goes back with the store, so its order also holds then.
 */
export function ballots(seen: Case): Violation[] {
  const { audit } = seen;
  if (audit === null) return [];
  return audit.flatMap((entry, place) => {
    const { action, facts, record } = entry;
    const isAccepted = action === 'approvals.ballot' && facts.refused === undefined;
    const own = (each: AuditSeen) => each.record === record;
    const isLate = audit.slice(0, place).filter(own).some(isOver);
    if (!isAccepted || facts.action !== 'reject' || isLate) return [];
    return ignored(seen, entry, audit.slice(place + 1).filter(own));
  });
}

/** @param later the later log entries of its record */
function ignored(seen: Case, { actor }: AuditSeen, later: readonly AuditSeen[]): Violation[] {
  const next = later.find((each) => isApproval(each) || isItsEnd(each, actor));
  const isPassedOver = next === undefined || isApproval(next);
  if (!isPassedOver || isTold(seen, actor) || isGone(seen, actor)) return [];
  // The holder of its record continues, and the log has lost its earlier entries.
  if (next === undefined && isCarriedOut(seen, actor, 'reject')) return [];
  const [kind, what] =
    next === undefined
      ? (['lost', 'reject was accepted, and neither sent nor its person told why not'] as const)
      : (['false', `${next.actor} approved it after a reject was accepted`] as const);
  return [violation(seen, kind, what, { person: actor })];
}

/** It is sent; for an own gate, its outcome. */
function isApproval(entry: AuditSeen): boolean {
  const { action, facts } = entry;
  if (action === 'approvals.respond') return isTo(entry, 'approve');
  const isOwn = facts.authority === 'gatepost';
  return action === 'approvals.outcome' && isOwn && facts.status === 'APPROVED';
}

/** It is sent, or refused when its author was authorized again; or the request ended for everybody. */
function isItsEnd(entry: AuditSeen, person: string): boolean {
  const { action, actor, facts } = entry;
  if (isOver(entry)) return true;
  const isRefused = action === 'approvals.ballot' && facts.refused !== undefined;
  return actor === person && isTo(entry, 'reject') && (action === 'approvals.respond' || isRefused);
}

function isOver({ action }: AuditSeen): boolean {
  return action === 'approvals.outcome' || action === 'approvals.withdrawn';
}

function isTo({ facts }: AuditSeen, action: Action): boolean {
  return facts.action === action;
}

/** About an approval, or only about the request. */
const NO_ANSWER = /^Your approval of |^You already approved |\* still needs a decision\.$/;

/** Slack may have been away, so that they read it after others could decide again. */
function isTold(seen: Case, person: string): boolean {
  const since = rejectedAt(seen, person);
  return seen.told.some(
    (each) => each.person === person && each.at >= since && !NO_ANSWER.test(each.text),
  );
}

/** Nobody can tell a person who left Slack. */
function isGone(seen: Case, person: string): boolean {
  const since = rejectedAt(seen, person);
  const own = rightsOf(seen.run, person);
  const before = own.findLast(({ at, approval }) => approval === undefined && at <= since);
  return before?.gone === true || own.some(({ at, gone }) => gone && at >= since);
}

function rejectedAt({ presses }: Case, person: string): number {
  return presses.find((each) => each.person === person && each.action === 'reject')?.at ?? 0;
}
