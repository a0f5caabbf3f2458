import * as z from 'zod';
import { type ApprovalState, ONLY_REQUESTER } from '../../../../ask/contract/approval-details.ts';
import { NOBODY_ELSE, OWN_APPROVAL } from '../../../../ask/contract/details-text.ts';
import type { Core } from '../../../core/core.ts';
import { jsonReply, type Reply } from '../../../core/http/reply.ts';
import { type Approval, messagePost } from '../../approval.ts';
import { blockedBy, statusOf } from '../../decision/status.ts';
import { barIn, barMembers } from '../../electorate/bar-seen.ts';
import { isOwnApproval } from '../../electorate/requester.ts';
import { goodUntil } from './attempt.ts';

/** How long a caller that asks again by itself waits at least. */
const RETRY_S = 5;

const STATES = {
  approved: 200,
  rejected: 409,
  withdrawn: 409,
  changed: 409,
  'timed-out': 410,
  over: 410,
  waiting: 503,
  blocked: 503,
  closed: 503,
  unknown: 503,
} as const;

type GateState = keyof typeof STATES;

/** The body of every answer but a refusal. */
export const gateAnswer = z.object({
  // as: the keys of the table
  status: z
    .enum(Object.keys(STATES) as [GateState, ...GateState[]])
    .describe('The HTTP status says the same: 200 for approved alone'),
  detail: z.string().describe('A sentence for logs'),
  id: z.string().optional().describe('Of the request, as under /v1/approvals'),
  permalink: z.string().optional().describe('Link to its message, once it is posted'),
  by: z.array(z.string()).optional().describe('Slack user ids of those who decided'),
  until: z.iso
    .datetime()
    .optional()
    .describe('How long the approval is good; of closed: until when nobody can approve'),
});

type GateAnswer = z.infer<typeof gateAnswer>;

function replyWith(answer: GateAnswer): Reply {
  const status = STATES[answer.status];
  return jsonReply(status, answer, {
    'cache-control': 'no-store',
    ...(status === 503 && { 'retry-after': String(RETRY_S) }),
  });
}

/** Of an attempt that was asked with other content, or that its own requester approved. */
export function changedReply(detail: string): Reply {
  return replyWith({ status: 'changed', detail });
}

/** How an attempt stands. `forMs`: how long its approval is good. */
export async function answerFor(
  core: Core,
  id: string,
  approval: Approval,
  forMs: number,
): Promise<Reply> {
  const { outcome } = approval;
  const { ts } = messagePost(approval);
  const by = outcome?.by ?? [];
  const names = by.length === 0 ? {} : await core.names({ users: by, groups: [] });
  const who = by.length === 0 ? '' : ` by ${by.map((user) => names[user] ?? user).join(', ')}`;
  const reasons = (outcome?.reasons ?? []).map(({ text }) => text).join(' / ');
  const why = reasons === '' ? '.' : `: ${reasons}`;
  const facts = {
    id,
    ...(ts !== undefined && { permalink: core.links.message(approval.channel, ts) }),
    ...(by.length > 0 && { by: [...by] }),
  };
  const said = (status: GateState, detail: string, more: Partial<GateAnswer> = {}) =>
    replyWith({ status, detail, ...facts, ...more });
  if (isOwnApproval(approval)) return said('rejected', OWN_APPROVAL);
  const status = statusOf(approval);
  if (status === 'REJECTED') return said('rejected', `Rejected${who}${why}`);
  if (status !== 'APPROVED' || outcome === undefined) {
    const bar = status === 'PENDING' ? barIn(barMembers(approval)) : undefined;
    if (bar !== undefined) {
      const { until, why } = bar;
      return said('closed', `Closed until ${until}: ${why}`, { until });
    }
    const [state, detail] = UNAPPROVED[status];
    const isOnlyRequester = status === 'BLOCKED' && blockedBy(approval) === ONLY_REQUESTER;
    return said(state, isOnlyRequester ? NOBODY_ELSE : detail);
  }
  const untilAt = goodUntil(outcome, forMs);
  if (core.store.now() >= untilAt) return said('over', `Approved${who}. ${OVER}`);
  return said('approved', `Approved${who}${why}`, { until: new Date(untilAt).toISOString() });
}

const OVER = 'The time for which that is good is over.';

const UNAPPROVED = {
  PENDING: ['waiting', 'Nobody has decided yet.'],
  BLOCKED: ['blocked', 'Nobody can be asked at the moment. A Gatepost administrator can fix it.'],
  UNKNOWN: ['unknown', 'It is not known how this stands.'],
  WITHDRAWN: ['withdrawn', 'Withdrawn before anybody decided.'],
  TIMED_OUT: ['timed-out', 'Nobody decided in time.'],
  // Without an outcome it is not one.
  APPROVED: ['unknown', 'It is not known how this stands.'],
} as const satisfies Record<Exclude<ApprovalState, 'REJECTED'>, readonly [GateState, string]>;
