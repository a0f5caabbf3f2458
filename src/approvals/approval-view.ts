import { type Approval, messagePart } from './approval.ts';
import { votersFor } from './terms.ts';

/** What the intake says of an approval to the source that sent it. Never the token. */
export interface ApprovalView {
  readonly id: string;
  readonly status: 'PENDING' | 'WITHDRAWN' | 'UNKNOWN' | 'APPROVED' | 'REJECTED' | 'TIMED_OUT';
  readonly url: string;
}

export function approvalSummary(id: string, approval: Approval): ApprovalView {
  return {
    id,
    status: approval.outcome?.status ?? unsettled(approval),
    url: `/v1/approvals/${id}`,
  };
}

/** An answer that is on its way when the request is withdrawn may still become the outcome. */
function unsettled(approval: Approval): 'WITHDRAWN' | 'UNKNOWN' | 'PENDING' {
  const { withdrawnAt, decision, watch } = approval;
  if (withdrawnAt !== undefined && decision === undefined) return 'WITHDRAWN';
  return watch.state === 'unknown' ? 'UNKNOWN' : 'PENDING';
}

export function approvalDetails(id: string, approval: Approval) {
  const { outcome, ballots } = approval;
  return {
    ...approvalSummary(id, approval),
    createdAt: iso(approval.createdAt),
    posting: postingOf(approval),
    ballots: ballots.map(({ user, action, at, reason }) => ({
      user,
      action,
      at: iso(at),
      ...(reason !== undefined && { reason }),
    })),
    approvals: votersFor('approve', ballots).length,
    outcome: outcome && {
      status: outcome.status,
      resolvedAt: outcome.resolvedAt ?? null,
      by: outcome.by,
      certain: outcome.credit === 'certain',
    },
  };
}

/** How it is with the message that asks; `reason` is Slack's code. */
export interface Posting {
  /** blocked: Slack refuses it, and it is tried again. ended: it is not posted any more. */
  readonly state: 'waiting' | 'posted' | 'blocked' | 'ended';
  readonly reason?: string;
}

function postingOf(approval: Approval): Posting {
  const { ts, failed, refused } = messagePart(approval);
  if (ts !== undefined) return { state: 'posted' };
  if (failed !== undefined) return { state: 'ended', reason: failed };
  if (approval.withdrawnAt !== undefined) return { state: 'ended', reason: 'withdrawn' };
  return refused === undefined ? { state: 'waiting' } : { state: 'blocked', reason: refused };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
