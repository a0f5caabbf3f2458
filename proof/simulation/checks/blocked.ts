import {
  acceptedIn,
  type Case,
  isReadWell,
  mayBeLost,
  mayBeUnnoted,
  NOTED_MS,
  violation,
  wentBackBetween,
} from '../case.ts';
import type { Refusal, Violation } from '../evidence.ts';

/** How far the clocks of processes may be apart; one of them says that an own gate has timed out. */
const CLOCKS_MS = 60_000;

/** A source is told that nobody can be asked, once Gatepost has read that Slack refuses the message. */
export function blocked(seen: Case): Violation[] {
  const { callbacks, approval } = seen;
  const accepted = acceptedIn(seen);
  if (callbacks === null || approval.isCalledBack === false || accepted === undefined) return [];
  if (mayBeLost(seen, accepted.answeredAt ?? accepted.at, accepted.at)) return [];
  const { effects, withdrawals, refusals = [] } = approval;
  const deadlineAt = approval.deadlineAt ?? Number.POSITIVE_INFINITY;
  const isCertain = ({ at, isHeard, post }: Refusal) =>
    post === 'message' &&
    isHeard &&
    // A later process may find the channel open.
    !mayBeUnnoted(seen, at) &&
    !mayBeUnknown(seen, at) &&
    // It may be of a request that the store forgot, and that was asked again.
    !wentBackBetween(seen, Math.min(accepted.at, at), Math.max(accepted.at, at) + NOTED_MS) &&
    deadlineAt > at + NOTED_MS + (approval.authority === 'gatepost' ? CLOCKS_MS : 0) &&
    ![...withdrawals, ...effects].some((each) => each.at <= at + NOTED_MS);
  const refusal = refusals.find(isCertain);
  const isTold = callbacks.some(({ type, isTaken }) => type === 'approval.blocked' && isTaken);
  if (refusal === undefined || isTold) return [];
  const what = 'Slack refused its message, and nobody was called back with that';
  return [violation(seen, 'lost', what, { at: refusal.at })];
}

/** The service was read, and did not say how the approval stands: its source is told that it is unknown. */
function mayBeUnknown({ approval }: Case, at: number): boolean {
  const reads = approval.calls.filter((call) => call.operation === 'read' && call.at <= at);
  const last = reads.at(-1);
  return last !== undefined && !isReadWell(last);
}
