import {
  type ApprovalDetails,
  type ApprovalSummary,
  isFinal,
} from '../../../ask/contract/approval-details.ts';
import { iso } from '../../core/lib/iso-time.ts';
import { shortIdOf } from '../../core/lib/short-id.ts';
import type { Approval } from '../approval.ts';
import { blockedBy, postingOf, statusOf } from '../decision/status.ts';
import { digestOf } from '../digest.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { isOwnApproval } from '../electorate/requester.ts';
import { tally } from '../electorate/tally.ts';
import type { RouteTerms } from '../electorate/terms.ts';
import { requesterOf } from '../tell/callback-body.ts';
import { shownBy } from './contract-parts.ts';

export function summaryOf(id: string, approval: Approval): ApprovalSummary {
  return summaryWith(id, statusOf(approval));
}

/** The summary of a new approval. */
export function newSummary(id: string): ApprovalSummary {
  return summaryWith(id, 'PENDING');
}

function summaryWith(id: string, status: ApprovalSummary['status']): ApprovalSummary {
  return { id, status, url: `/v1/approvals/${id}` };
}

/** `permalink`: to its message, if there is one. */
export function detailsOf(
  id: string,
  approval: Approval,
  permalink: string | undefined,
  terms: RouteTerms,
): ApprovalDetails {
  const { outcome, ballots, watch, withdrawnAt } = approval;
  const electorate = electorateOf(approval, terms);
  const { route, asked } = electorate;
  const { users, groups, channel } = asked;
  const progress = tally(electorate, ballots);
  const isOpen = outcome === undefined && withdrawnAt === undefined;
  const summary = summaryOf(id, approval);
  return {
    ...summary,
    final: isFinal(summary.status),
    shortId: shortIdOf(id),
    ...(approval.key !== undefined && { key: approval.key }),
    digest: digestOf(approval),
    ...(permalink !== undefined && { permalink }),
    ...(isOpen &&
      watch.why === 'new-status' &&
      watch.word !== undefined && { serviceStatus: watch.word }),
    createdAt: iso(approval.createdAt),
    posting: postingOf(approval),
    ...(summary.status === 'BLOCKED' && { blocked: blockedBy(approval) }),
    requester: requesterOf(approval),
    ...(approval.proof !== undefined && { proof: proofOf(approval.proof) }),
    ...(route !== undefined && { reviewers: { users: [...users], groups: [...groups], channel } }),
    ballots: ballots.map(({ user, action, at, reason }) => ({
      user,
      action,
      at: iso(at),
      ...(reason !== undefined && { reason }),
    })),
    approvals: progress.have,
    outcome: outcome && {
      status: outcome.status,
      resolvedAt: outcome.resolvedAt ?? null,
      by: [...outcome.by],
      certain: outcome.credit === 'certain',
    },
    ...(isOwnApproval(approval) && { ownApproval: true as const }),
    ...shownBy(approval, progress),
    ...(withdrawnAt !== undefined && { withdrawnAt: iso(withdrawnAt) }),
  };
}

function proofOf({
  scope: _,
  ...proof
}: NonNullable<Approval['proof']>): NonNullable<ApprovalDetails['proof']> {
  return proof;
}
