import { z } from 'zod';
import { GROUPS_MAX, hasFewGroups, NEEDS_MAX } from '../core/config/needs.ts';
import { loginFault, needName, SYSTEM } from '../core/config/values.ts';
import { answer, problems, requestBody } from '../core/http/openapi.ts';
import { isSeen } from '../core/lib/clean-line.ts';
import { characterCount, lineCount } from '../core/lib/clip.ts';
import { EMAIL } from '../core/lib/logins.ts';
import { emailProblem, readEmail } from '../core/lib/read-email.ts';
import { redact } from '../core/lib/redact.ts';
import { shortIdOf } from '../core/lib/short-id.ts';
import { FINAL_STATUSES } from '../core/service/approval-status.ts';
import { type Approval, messagePost } from './approval.ts';
import { ownName, text, time, webAddress, withoutEmpty } from './contract-values.ts';
import { digestOf } from './message/overflow.ts';
import { isRequesterKnown, ONLY_REQUESTER } from './requester/requester.ts';
import { resultOf, resultReport, resultView } from './result/report-contract.ts';
import { askedOf, type PresentRoute } from './reviewers.ts';
import { isWithdrawn } from './transitions.ts';
import { progressOf } from './votes.ts';

/** Of a change, in characters (code points). */
export const CHANGE_MAX = 40_000;

/** zod would silently drop a member with this name. */
const LOST = '__proto__';

/** Exactly what is approved: a diff, a plan, a command with its arguments. */
export const change = text()
  .refine((value) => changeFault(value) === undefined, {
    error: ({ input }) => changeFault(String(input)),
  })
  .meta({ maxLength: CHANGE_MAX });

/** Why a change is too long, to follow its name; undefined: it is not. */
export function changeFault(text: string): string | undefined {
  // A text has at most as many characters as UTF-16 units, so most texts need no counting.
  const count = text.length <= CHANGE_MAX ? 0 : characterCount(text);
  if (count <= CHANGE_MAX) return undefined;
  return `has ${inWords(count)} characters; ${inWords(CHANGE_MAX)} are possible`;
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}

const cutFrom = z.strictObject({
  lines: z.int().min(1).max(1_000_000_000).describe('How many it has'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'must be 64 hexadecimal digits in small letters' })
    .describe('Of its bytes'),
});

const members = z.strictObject({
  /** The one-time token, verbatim. */
  token: z
    .string()
    .min(1)
    .max(2_048)
    // An invisible token could not be redacted: `redact` ignores invisible characters.
    .refine(isSeen, { message: 'must have at least one visible character', abort: true })
    .refine(canStandInPath, { message: 'must be a token that can be used in a URL path' })
    .optional(),
  /** The source's name for an own gate; replaces the token. */
  key: ownName().optional(),
  title: text().optional(),
  message: text().optional(),
  route: z.string().min(1).optional(),
  channel: slackId(/^[CG][A-Z0-9]{2,31}$/, 'must be a channel id (C… or G…)').optional(),
  change: change.optional(),
  /** The full text that `change` is the beginning of; the message says how much of it is shown. */
  cutFrom: cutFrom.optional(),
  fields: z
    .unknown()
    .refine(isWhole, { path: [LOST], message: 'must be another name' })
    .pipe(
      z.record(z.string().min(1), z.string()).refine((it) => Object.keys(it).length <= 50, {
        message: 'must have at most 50 members',
      }),
    )
    .optional(),
  link: webAddress().optional(),
  requestedBy: z
    .strictObject({
      /** May belong to a robot or a guest; accepted in the formats of mail programs and links. */
      email: z.string().superRefine(isEmail).optional(),
      slackUser: userId().optional(),
      /** In another system, such as octocat at github. */
      login: login().optional(),
      at: system().optional(),
      name: text().optional(),
    })
    .refine((by) => Object.keys(by).length > 0, {
      message: 'must have email, slackUser, login or name',
    })
    .refine((by) => (by.login === undefined) === (by.at === undefined), {
      path: ['at'],
      message: 'must be there with login, and only then',
    })
    .refine((by) => by.at !== EMAIL, { path: ['at'], message: 'must not be email: use email' })
    .refine((by) => by.login === undefined || (by.email ?? by.slackUser) === undefined, {
      path: ['login'],
      message: 'must not stand beside email or slackUser',
    })
    .overwrite(withPlainEmail)
    .optional(),
  reviewers: named().optional(),
  quorum: z.int().min(1).max(100).optional(),
  /** Different people have to approve for these, in addition to the route's. */
  need: z
    .array(
      z.strictObject({
        name: needName,
        of: named(),
        count: z.int().min(1).max(100).default(1),
      }),
    )
    .max(NEEDS_MAX)
    .refine(hasFewGroups, { message: `must name at most ${GROUPS_MAX} groups` })
    .refine((needs) => new Set(needs.map(({ name }) => name)).size === needs.length, {
      message: 'must not use a name twice',
    })
    .optional(),
  supersedes: ownName()
    .optional()
    .describe('Withdraws your older requests of this name that nobody decided'),
  expiresAt: time().optional(),
});

const withoutConflict = members
  .refine(({ token, key }) => token !== undefined || key !== undefined, {
    path: ['token'],
    message: 'must be there, or key for an own gate',
  })
  .refine(({ token, key }) => token === undefined || key === undefined, {
    path: ['key'],
    message: 'must not stand beside token',
  })
  .refine(({ change, cutFrom }) => cutFrom === undefined || change !== undefined, {
    path: ['cutFrom'],
    message: 'must stand beside change, which is its beginning',
  })
  .refine(
    ({ change = '', cutFrom }) => cutFrom === undefined || lineCount(change) < cutFrom.lines,
    { path: ['cutFrom', 'lines'], message: 'must be more than the lines of change' },
  )
  .refine(
    ({ token, need = [] }) =>
      token === undefined || need.every(({ name }) => redact(name, [token]) === name),
    { path: ['need'], message: 'must not contain the token' },
  )
  .refine(
    // An address is shown and looked up unchanged, so it cannot be redacted.
    ({ token, requestedBy: { email } = {} }) =>
      token === undefined || email === undefined || redact(email, [token]) === email,
    { path: ['requestedBy', 'email'], message: 'must not contain the token' },
  )
  .refine(
    ({ token, requestedBy: { login } = {} }) =>
      token === undefined || login === undefined || redact(login, [token]) === login,
    { path: ['requestedBy', 'login'], message: 'must not contain the token' },
  )
  .meta({ oneOf: [{ required: ['token'] }, { required: ['key'] }] });

/**
 * Templates and pipelines pass on empty texts. What identifies the request, says who decides, or is approved, must not
 * be empty.
 */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(['message', 'link']);

/**
 * The body of a request to the intake. Strict: an unknown member is an error. Normalizes the address in `requestedBy`
 * and the time zone of `expiresAt`; an empty message or link counts as missing.
 */
export const approvalRequest = z.preprocess(withoutEmpty(MAY_BE_EMPTY), withoutConflict);

export type ApprovalRequest = z.infer<typeof approvalRequest>;

function isEmail(text: string, context: z.RefinementCtx): void {
  const problem = emailProblem(readEmail(text).address);
  if (problem !== null) context.addIssue(problem);
}

/** If the address contains a name, it is shown. */
function withPlainEmail<
  Requester extends { email?: string | undefined; name?: string | undefined },
>(by: Requester): Requester {
  if (by.email === undefined) return by;
  const { address, isNamed } = readEmail(by.email);
  return { ...(isNamed && { name: by.email.trim() }), ...by, email: address };
}

function isWhole(fields: unknown): boolean {
  return typeof fields !== 'object' || fields === null || !Object.hasOwn(fields, LOST);
}

/** Ids become part of list names, whose length the stores limit. */
function slackId(pattern: RegExp, error: string) {
  return z.string().regex(pattern, { error });
}

function login() {
  return z
    .string()
    .refine((given) => loginFault(given) === undefined, {
      error: ({ input }) => loginFault(String(input)),
    })
    .meta({ maxLength: 100 });
}

function system() {
  return z.string().regex(SYSTEM, { error: 'must be a name in small letters, such as github' });
}

function userId() {
  return slackId(/^[UW][A-Z0-9]{2,31}$/, 'must be a user id (U… or W…)');
}

/** People and user groups, by Slack id. */
function named() {
  return z
    .strictObject({
      users: z.array(userId()).optional(),
      groups: z
        .array(slackId(/^S[A-Z0-9]{2,31}$/, 'must be a user group id (S…)'))
        .max(GROUPS_MAX)
        .optional(),
    })
    .refine(({ users = [], groups = [] }) => users.length + groups.length > 0, {
      message: 'must name at least one person or group',
    });
}

/** Half a surrogate pair has no URL encoding. */
function canStandInPath(token: string): boolean {
  return token !== '.' && token !== '..' && !/\p{Cs}/u.test(token);
}

/** What the intake answers the source about an approval. Never contains the token. Clients ignore unknown members. */
export const approvalSummary = z.object({
  id: z.string(),
  status: z
    .enum(['PENDING', 'BLOCKED', 'WITHDRAWN', 'UNKNOWN', ...FINAL_STATUSES])
    .describe(
      'BLOCKED: pending, and its message cannot be posted, or nobody but its requester could decide. UNKNOWN: Gatepost cannot tell',
    ),
  url: z.string().describe('Path of its details on this host'),
});

type ApprovalSummary = z.infer<typeof approvalSummary>;

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

const requesterView = z
  .object({
    known: z
      .boolean()
      .describe('Slack shows a full member, or the configuration lists the robot. As far as read'),
  })
  .describe('Who asked');

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
  reviewers: reviewersView.optional(),
  approvals: z.int().describe('How many people have approved'),
  needs: z
    .array(z.object({ name: z.string(), count: z.int(), have: z.int() }))
    .describe(
      'How many people of each need have to approve (count), and how many do so far (have)',
    ),
  ballots: z.array(ballotView),
  outcome: outcomeView.optional(),
  result: resultView.optional(),
  withdrawnAt: z.iso.datetime().optional(),
  supersededBy: z.string().optional().describe('Id of the newer request that replaced it'),
  names: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Display names by Slack user id, of reviewers and whoever decided, as far as they are known',
    ),
});

type ApprovalDetails = z.infer<typeof approvalDetails>;

/** The body of a callback to the source. */
export const callbackBody = z.object({
  type: z.enum([
    'approval.posted',
    'approval.blocked',
    'approval.decided',
    'approval.timed_out',
    'approval.withdrawn',
  ]),
  timestamp: z.iso.datetime().describe('When it happened'),
  data: z.object({
    id: z.string(),
    key: z.string().optional().describe('Of an own gate'),
    status: z.enum(['PENDING', 'BLOCKED', 'WITHDRAWN', ...FINAL_STATUSES]),
    by: z.array(z.string()).describe('Slack user ids of who certainly decided'),
    reason: z.string().nullable(),
    digest: z.string(),
    requester: requesterView,
    permalink: z.string().nullable().describe('To the message, once it is posted'),
  }),
});

export type CallbackBody = z.infer<typeof callbackBody>;

/** The callbacks in `/openapi.json` (OpenAPI 3.1). */
export function callbackWebhooks(): Record<string, unknown> {
  return {
    approval: {
      post: {
        summary: 'What became of a request, as a Standard Webhook',
        operationId: 'callBack',
        requestBody: requestBody(callbackBody),
        responses: { '2XX': { description: 'Taken; anything else is sent again for 24 hours' } },
      },
    },
  };
}

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

export type ApprovalState = ApprovalSummary['status'];

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
function blockedBy(approval: Approval): string | undefined {
  const { state, reason } = postingOf(approval);
  if (state === 'blocked' || state === 'ended') return reason;
  return approval.counted?.isOnlyRequester === true ? ONLY_REQUESTER : undefined;
}

export function isFinal(status: ApprovalState): boolean {
  return FINAL.has(status);
}

const FINAL: ReadonlySet<ApprovalState> = new Set(['WITHDRAWN', ...FINAL_STATUSES]);

/** `permalink`: to its message, if there is one. */
export function detailsOf(
  id: string,
  approval: Approval,
  permalink: string | undefined,
  route?: PresentRoute,
): ApprovalDetails {
  const { outcome, ballots, watch, withdrawnAt, supersededBy } = approval;
  const result = resultOf(approval);
  const { have, needs } = progressOf(approval, route);
  const isOpen = outcome === undefined && withdrawnAt === undefined;
  const summary = summaryOf(id, approval);
  return {
    ...summary,
    final: isFinal(summary.status),
    shortId: shortIdOf(id),
    digest: digestOf(approval),
    ...(permalink !== undefined && { permalink }),
    ...(isOpen &&
      watch.why === 'new-status' &&
      watch.word !== undefined && { serviceStatus: watch.word }),
    createdAt: iso(approval.createdAt),
    posting: postingOf(approval),
    ...(summary.status === 'BLOCKED' && { blocked: blockedBy(approval) }),
    requester: requesterOf(approval),
    ...(route !== undefined && { reviewers: reviewersOf(approval, route) }),
    ballots: ballots.map(({ user, action, at, reason }) => ({
      user,
      action,
      at: iso(at),
      ...(reason !== undefined && { reason }),
    })),
    approvals: have,
    needs: [...needs],
    outcome: outcome && {
      status: outcome.status,
      resolvedAt: outcome.resolvedAt ?? null,
      by: [...outcome.by],
      certain: outcome.credit === 'certain',
    },
    ...(result !== undefined && { result }),
    ...(withdrawnAt !== undefined && { withdrawnAt: iso(withdrawnAt) }),
    ...(supersededBy !== undefined && { supersededBy: supersededBy.id }),
  };
}

/** For programs. */
export function requesterOf(approval: Approval): z.infer<typeof requesterView> {
  return { known: isRequesterKnown(approval) };
}

function reviewersOf(
  approval: Approval,
  route: PresentRoute,
): NonNullable<ApprovalDetails['reviewers']> {
  const { users, groups, channel } = askedOf(approval, route);
  return { users: [...users], groups: [...groups], channel };
}

/** `reason` is Slack's code. */
function postingOf(approval: Approval): ApprovalDetails['posting'] {
  const { ts, failed, refused } = messagePost(approval);
  if (ts !== undefined) return { state: 'posted' };
  if (failed !== undefined) return { state: 'ended', reason: failed };
  if (approval.withdrawnAt !== undefined) return { state: 'ended', reason: 'withdrawn' };
  return refused === undefined ? { state: 'waiting' } : { state: 'blocked', reason: refused };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}

/** The longest wait of one request, below the timeouts of common load balancers and clients. */
export const WAIT_MAX_S = 50;

/** The intake's part of `/openapi.json` (OpenAPI 3.1). */
export function intakePaths(): Record<string, unknown> {
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
  const wait = {
    name: 'wait',
    in: 'query',
    description: 'Answers when it is final or BLOCKED, or after so many seconds',
    schema: { type: 'integer', minimum: 0, maximum: WAIT_MAX_S },
  };
  return {
    '/v1/approvals': {
      post: {
        summary: 'Ask for an approval',
        operationId: 'askApproval',
        requestBody: requestBody(approvalRequest),
        responses: {
          202: answer('New: stored, and will be posted', approvalSummary),
          200: answer('The token, or the key with this content, is already known', approvalSummary),
          ...problems([400, 401, 403, 409, 413, 415, 422, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}': {
      get: {
        summary: 'Get an approval',
        operationId: 'getApproval',
        parameters: [id, wait],
        responses: {
          200: answer('Its current state', approvalDetails),
          ...problems([401, 404, 413, 422, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/withdraw': {
      post: {
        summary: 'Withdraw the request without a decision',
        operationId: 'withdrawApproval',
        parameters: [id],
        responses: {
          202: answer('Its current state; PENDING while a decision is being sent', approvalSummary),
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
    '/v1/approvals/{id}/result': {
      post: {
        summary: 'Report what became of what was approved',
        operationId: 'reportResult',
        parameters: [id],
        requestBody: requestBody(resultReport),
        responses: {
          200: answer('Its current state, with the result', approvalDetails),
          ...problems([400, 401, 404, 413, 415, 422, 429, 503]),
          ...problems([409], 'It is not approved, or another run has claimed it'),
        },
      },
    },
    '/v1/approvals/{id}/check': {
      post: {
        summary: 'Read the status from the service now',
        operationId: 'checkApproval',
        parameters: [id],
        responses: {
          202: answer('The check has started', approvalSummary),
          ...problems([401, 404, 413, 429, 503]),
        },
      },
    },
  };
}
