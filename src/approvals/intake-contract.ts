import { z } from 'zod';
import { json, problems } from '../http/openapi.ts';
import { redact } from '../lib/redact.ts';
import { type Approval, messagePost } from './approval.ts';
import { votersFor } from './policy.ts';

/** Each is asked for at a click, and Slack tells of some 20 groups a minute. */
const GROUPS_MAX = 10;

const members = z.strictObject({
  /** The one-time token, to the letter. */
  token: z
    .string()
    .min(1)
    .max(2_048)
    .refine(canStandInPath, { message: 'must be a token that can stand in a path' }),
  title: text().optional(),
  message: text().optional(),
  route: z.string().min(1).optional(),
  channel: slackId(/^[CG][A-Z0-9]{2,31}$/, 'must be a channel id (C… or G…)').optional(),
  fields: z
    .record(z.string().min(1), z.string())
    .refine((fields) => Object.keys(fields).length <= 50, {
      message: 'must have at most 50 members',
    })
    .optional(),
  link: z
    .url({ protocol: /^https?$/, error: 'must be an http or https address' })
    .max(2_000)
    .optional(),
  requestedBy: z
    .strictObject({
      email: z.email({ error: 'must be an e-mail address' }).optional(),
      slackUser: userId().optional(),
      name: text().optional(),
    })
    .refine((by) => Object.keys(by).length > 0, { message: 'must have email, slackUser or name' })
    .optional(),
  reviewers: z
    .strictObject({
      users: z.array(userId()).optional(),
      groups: z
        .array(slackId(/^S[A-Z0-9]{2,31}$/, 'must be a user group id (S…)'))
        .max(GROUPS_MAX)
        .optional(),
    })
    .refine(({ users = [], groups = [] }) => users.length + groups.length > 0, {
      message: 'must name somebody',
    })
    .optional(),
  quorum: z.int().min(1).max(100).optional(),
  expiresAt: z.iso
    .datetime({ offset: true, error: 'must be a time such as 2030-01-01T10:00:00Z' })
    .optional(),
});

/** What an automation sends to the intake. Strict: a member that is not known is an error, not ignored. */
export const approvalRequest = members.refine(
  // An address is shown and looked up as it is: it cannot be redacted.
  ({ token, requestedBy: { email } = {} }) =>
    email === undefined || redact(email, [token]) === email,
  { path: ['requestedBy', 'email'], message: 'must not contain the token' },
);

export type ApprovalRequest = z.infer<typeof approvalRequest>;

/** Names of lists hold ids, and the stores take no names of any length. */
function slackId(pattern: RegExp, error: string) {
  return z.string().regex(pattern, { error });
}

function userId() {
  return slackId(/^[UW][A-Z0-9]{2,31}$/, 'must be a user id (U… or W…)');
}

/** Slack takes no empty text. */
function text() {
  return z.string().refine((value) => value.trim() !== '', { message: 'must not be empty' });
}

/** Half a surrogate pair has no URL encoding. */
function canStandInPath(token: string): boolean {
  return token.trim() !== '' && token !== '.' && token !== '..' && !/\p{Cs}/u.test(token);
}

/** What the intake says of an approval to the source that sent it. Never the token. */
interface ApprovalView {
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
interface Posting {
  /** blocked: Slack refuses it, and it is tried again. ended: it is not posted any more. */
  readonly state: 'waiting' | 'posted' | 'blocked' | 'ended';
  readonly reason?: string;
}

function postingOf(approval: Approval): Posting {
  const { ts, failed, refused } = messagePost(approval);
  if (ts !== undefined) return { state: 'posted' };
  if (failed !== undefined) return { state: 'ended', reason: failed };
  if (approval.withdrawnAt !== undefined) return { state: 'ended', reason: 'withdrawn' };
  return refused === undefined ? { state: 'waiting' } : { state: 'blocked', reason: refused };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The intake's part of `/openapi.json` (OpenAPI 3.1); the request's schema is the one that is enforced. */
export function intakePaths(): Record<string, unknown> {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  return {
    '/v1/approvals': {
      post: {
        summary: 'Ask for an approval',
        operationId: 'askApproval',
        requestBody: { required: true, content: json(z.toJSONSchema(approvalRequest)) },
        responses: {
          202: { description: 'New: it is stored and will be posted', content: json(SUMMARY) },
          200: { description: 'The token is known already', content: json(SUMMARY) },
          ...problems([400, 401, 403, 409, 413, 415, 422, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}': {
      get: {
        summary: 'How an approval stands',
        operationId: 'getApproval',
        parameters: [id],
        responses: {
          200: { description: 'As it stands', content: json(DETAILS) },
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/withdraw': {
      post: {
        summary: 'Take the request back without deciding anything',
        operationId: 'withdrawApproval',
        parameters: [id],
        responses: {
          202: {
            description: 'As it stands now; PENDING while a decision is being sent',
            content: json(SUMMARY),
          },
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/check': {
      post: {
        summary: 'Read the status at the service now',
        operationId: 'checkApproval',
        parameters: [id],
        responses: {
          202: { description: 'It is being looked at', content: json(SUMMARY) },
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
  };
}

const STATUS = { enum: ['PENDING', 'WITHDRAWN', 'UNKNOWN', 'APPROVED', 'REJECTED', 'TIMED_OUT'] };
const TIME = { type: 'string', format: 'date-time' };
const SUMMARY = {
  type: 'object',
  required: ['id', 'status', 'url'],
  properties: { id: { type: 'string' }, status: STATUS, url: { type: 'string' } },
};
const BALLOT = {
  type: 'object',
  properties: {
    user: { type: 'string', description: 'Slack user id' },
    action: { enum: ['approve', 'reject'] },
    at: TIME,
    reason: { type: 'string' },
  },
};
const POSTING = {
  type: 'object',
  description: 'How it is with the message that asks',
  required: ['state'],
  properties: {
    state: {
      enum: ['waiting', 'posted', 'blocked', 'ended'],
      description: 'blocked: Slack refuses it, it is tried again. ended: it is not posted any more',
    },
    reason: { type: 'string', description: "Slack's error code, or withdrawn" },
  },
};
const DETAILS = {
  ...SUMMARY,
  properties: {
    ...SUMMARY.properties,
    createdAt: TIME,
    posting: POSTING,
    approvals: { type: 'integer' },
    ballots: { type: 'array', items: BALLOT },
    outcome: {
      type: 'object',
      description: 'Absent while nothing is decided',
      properties: {
        status: { enum: ['APPROVED', 'REJECTED', 'TIMED_OUT'] },
        resolvedAt: { type: ['string', 'null'], description: "The service's own time" },
        by: { type: 'array', items: { type: 'string' } },
        certain: { type: 'boolean', description: 'The service confirmed whose answer it took' },
      },
    },
  },
};
