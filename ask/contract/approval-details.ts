import * as z from 'zod';

/** Final statuses, but for WITHDRAWN: a decision, or that there was none in time. */
const DECIDED = ['APPROVED', 'REJECTED', 'TIMED_OUT'] as const;

/**
 * BLOCKED: pending, and its message cannot be posted, or nobody but its requester could decide. UNKNOWN: Gatepost cannot
 * tell.
 */
const STATES = ['PENDING', 'BLOCKED', 'WITHDRAWN', 'UNKNOWN', ...DECIDED] as const;

/** How a request stands, as its source is told. */
export type ApprovalState = (typeof STATES)[number];

export function isFinal(status: ApprovalState): boolean {
  return FINAL.has(status);
}

const FINAL: ReadonlySet<ApprovalState> = new Set(['WITHDRAWN', ...DECIDED]);

/** `blocked` in place of Slack's code: nobody but whoever asked could decide. */
export const ONLY_REQUESTER = 'only-requester';

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
    status: z.enum(DECIDED),
    resolvedAt: z.string().nullable().describe("The service's own time, exactly as it sent it"),
    by: z.array(z.string()).describe('Slack user ids'),
    certain: z.boolean().describe('The service confirmed whose decision it accepted'),
  })
  .describe('Absent until it is decided');

export const requesterView = z
  .object({
    known: z
      .boolean()
      .describe('Slack shows a full member, or the configuration lists the robot. As far as read'),
    verified: z
      .boolean()
      .optional()
      .describe('Of a source with identity tokens: one proves who started the run'),
  })
  .describe('Who asked');

export const barView = z
  .object({ until: z.iso.datetime(), why: z.string() })
  .describe('Until when its route is closed, and why');

const needsView = z
  .array(z.object({ name: z.string(), count: z.int(), have: z.int() }))
  .describe('How many people of each need have to approve (count), and how many do so far (have)');

export const RESULT_STATES = ['running', 'succeeded', 'failed'] as const;

const resultView = z
  .object({
    state: z.enum(RESULT_STATES),
    at: z.iso.datetime().describe('When that was reported'),
    text: z.string().optional(),
    link: z.string().optional(),
    until: z.iso.datetime().optional(),
    history: z
      .array(z.object({ state: z.enum(RESULT_STATES), at: z.iso.datetime() }))
      .describe('What was reported, oldest first'),
  })
  .describe('What the source reported of the work that was approved');

/** What features show of a request. */
const FEATURES = {
  needs: needsView,
  result: resultView.optional(),
  supersededBy: z.string().optional().describe('Id of the newer request that replaced it'),
  withdrawnBy: z
    .string()
    .optional()
    .describe('Slack user id of the requester who withdrew it in Slack'),
  closed: barView.optional(),
};

export const ownApprovalView = z
  .literal(true)
  .describe(
    'It was approved by somebody who asked for it, as was known only later: it opens nothing',
  );

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
  ownApproval: ownApprovalView.optional(),
  ...FEATURES,
  withdrawnAt: z.iso.datetime().optional(),
  names: z
    .record(z.string(), z.string())
    .optional()
    .describe(
      'Display names by Slack user id, of reviewers and whoever decided, and handles (@sre) by group id, as far as Slack tells them',
    ),
});

export type ApprovalDetails = z.infer<typeof approvalDetails>;

/** What features show of a request. */
export type FeatureDetails = z.infer<z.ZodObject<typeof FEATURES>>;

/** The longest wait of one request, below the timeouts of common load balancers and clients. */
export const WAIT_MAX_S = 50;
