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

/**
 * A source is told that nobody can be asked, once Gatepost has read that Slack refuses the message, or that only the
 * requester could decide.
 */
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
  if (isTold || (refusal === undefined && !isSurelyAlone(seen))) return [];
  const why =
    refusal === undefined ? 'Only its requester could decide it' : 'Slack refused its message';
  const at = refusal?.at ?? null;
  return [violation(seen, 'lost', `${why}, and nobody was called back with that`, { at })];
}

/** According to the log, which is written together with what the source is to be told. */
function isSurelyAlone(seen: Case): boolean {
  const { audit, records, approval } = seen;
  return (audit ?? []).some(
    ({ action, facts, record, at = 0 }) =>
      action === 'approvals.blocked' &&
      facts.code === 'only-requester' &&
      record === records.at(-1) &&
      !mayBeUnknown(seen, at) &&
      ![...approval.withdrawals, ...approval.effects].some((each) => each.at <= at + NOTED_MS),
  );
}

/** The service was read, and did not say how the approval stands: its source is told that it is unknown. */
function mayBeUnknown({ approval }: Case, at: number): boolean {
  const reads = approval.calls.filter((call) => call.operation === 'read' && call.at <= at);
  const last = reads.at(-1);
  return last !== undefined && !isReadWell(last);
}
