import { type ApprovalState, ONLY_REQUESTER } from '../../../ask/contract/approval-details.ts';
import { type Approval, messagePost } from '../approval.ts';
import { isWithdrawn } from './transitions.ts';

/** How a request stands, as its source is told. */

/** A decision that was sent before the withdrawal may still become the outcome. */
export function statusOf(approval: Approval): ApprovalState {
  const { outcome, withdrawnAt, decision, watch } = approval;
  if (outcome !== undefined) return outcome.status;
  if (isWithdrawn(approval)) return 'WITHDRAWN';
  if (withdrawnAt !== undefined) return decision === undefined ? 'UNKNOWN' : 'PENDING';
  if (watch.state === 'unknown') return 'UNKNOWN';
  return blockedBy(approval) === undefined ? 'PENDING' : 'BLOCKED';
}

/** Why nobody can decide it: Slack's code, or Gatepost's; undefined: somebody can, as far as known. */
export function blockedBy(approval: Approval): string | undefined {
  const { state, reason } = postingOf(approval);
  if (state === 'blocked' || state === 'ended') return reason;
  return approval.counted?.isOnlyRequester === true ? ONLY_REQUESTER : undefined;
}

/** Whether the request's message is in the channel. */
interface Posting {
  readonly state: 'waiting' | 'posted' | 'blocked' | 'ended';
  readonly reason?: string;
}

/** `reason` is Slack's code. */
export function postingOf(approval: Approval): Posting {
  const { ts, failed, refused } = messagePost(approval);
  if (ts !== undefined) return { state: 'posted' };
  if (failed !== undefined) return { state: 'ended', reason: failed };
  if (approval.withdrawnAt !== undefined) return { state: 'ended', reason: 'withdrawn' };
  return refused === undefined ? { state: 'waiting' } : { state: 'blocked', reason: refused };
}
