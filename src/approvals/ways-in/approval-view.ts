import * as z from 'zod';
import { iso } from '../../core/lib/iso-time.ts';
import { shortIdOf } from '../../core/lib/short-id.ts';
import { FINAL_STATUSES } from '../../core/service/approval-status.ts';
import type { Approval } from '../approval.ts';
import { blockedBy, isFinal, postingOf, STATES, statusOf } from '../decision/status.ts';
import { digestOf } from '../digest.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { isOwnApproval } from '../electorate/requester.ts';
import { tally } from '../electorate/tally.ts';
import type { RouteTerms } from '../electorate/terms.ts';
import { requesterOf, requesterView } from '../tell/callback-body.ts';
import { DETAIL_MEMBERS, shownBy } from './contract-parts.ts';

/** What the intake answers the source about an approval. Never contains the token. Clients ignore unknown members. */
export const approvalSummary = z.object({
  id: z.string(),
  status: z
    .enum(STATES)
    .describe(
      'BLOCKED: pending, and its message cannot be posted, or nobody but its requester could decide. UNKNOWN: Gatepost cannot tell',
    ),
  url: z.string().describe('Path of its details on this host'),
});

/** The answer to a new or repeated request. */
export const askedSummary = approvalSummary.extend({
  requestKey: z
    .string()
    .optional()
    .describe(
      'To a source with identity tokens: a Bearer token that is good for this request alone',
    ),
});

export type ApprovalSummary = z.infer<typeof approvalSummary>;

const ballotView = z.object({
  user: z.string().describe('Slack user id'),
  action: z.enum(['approve', 'reject']),
  at: z.iso.datetime(),
  reason: z.string().optional(),
});

const postingView = z
  .object({
    state: z
      .enum(['waiting', 'posted', 'blocked', 'ended'])
      .describe(
        'blocked: Slack refuses the message; Gatepost keeps trying. ended: it is not posted again',
      ),
    reason: z.string().optional().describe("Slack's error code, or withdrawn"),
  })
  .describe("Whether the request's message is in the channel");

const reviewersView = z
  .object({ users: z.array(z.string()), groups: z.array(z.string()), channel: z.boolean() })
  .describe('Who is asked, by Slack ids; absent: the route is no longer configured');

const proofView = z
  .object({
    by: z.string().describe('Whose token it is, for people'),
    subject: z.string(),
    repository: z.string().optional().describe('Or project, pipeline, namespace'),
    run: z
      .object({ id: z.string(), attempt: z.int().optional(), link: z.string().optional() })
      .optional(),
  })
  .describe('What the identity token proves with which it was asked for first');

const outcomeView = z
  .object({
    status: z.enum(FINAL_STATUSES),
    resolvedAt: z.string().nullable().describe("The service's own time, exactly as it sent it"),
    by: z.array(z.string()).describe('Slack user ids'),
    certain: z.boolean().describe('The service confirmed whose decision it accepted'),
  })
  .describe('Absent until it is decided');

/** All of it, at its own address. */
export const approvalDetails = approvalSummary.extend({
  final: z.boolean().describe('The status cannot change'),
  shortId: z
    .string()
    .describe('Short id for people, as *Details…* shows it. Addresses take the id'),
  key: z.string().optional().describe('Of an own gate'),
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("SHA-256 of the message's content, in canonical form"),
  permalink: z.string().optional().describe('Link to the message, once it is posted'),
  serviceStatus: z
    .string()
    .optional()
    .describe("The service's status, if Gatepost does not know it"),
  createdAt: z.iso.datetime(),
  posting: postingView,
  blocked: z
    .string()
    .optional()
    .describe("Of BLOCKED: Slack's error code, or only-requester: nobody else can decide"),
  requester: requesterView.optional(),
  proof: proofView.optional(),
  reviewers: reviewersView.optional(),
  approvals: z.int().describe('How many people have approved'),
  ballots: z.array(ballotView),
  outcome: outcomeView.optional(),
  ownApproval: z
    .literal(true)
    .optional()
    .describe(
      'It was approved by somebody who asked for it, as was known only later: it opens nothing',
    ),
  ...DETAIL_MEMBERS,
  withdrawnAt: z.iso.datetime().optional(),
  names: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Display names by Slack user id, of reviewers and whoever decided, and handles (@sre) by group id, as far as Slack tells them',
    ),
});

export type ApprovalDetails = z.infer<typeof approvalDetails>;

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
}: NonNullable<Approval['proof']>): z.infer<typeof proofView> {
  return proof;
}

/** The longest wait of one request, below the timeouts of common load balancers and clients. */
export const WAIT_MAX_S = 50;
