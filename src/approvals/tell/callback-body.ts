import * as z from 'zod';
import { ownApprovalView, requesterView } from '../../../ask/contract/approval-details.ts';
import { FINAL_STATUSES } from '../../core/service/approval-status.ts';
import type { Approval } from '../approval.ts';
import { BAR_MEMBERS } from '../electorate/electorate.ts';
import { isRequesterKnown } from '../electorate/requester.ts';
import { isVerified } from '../electorate/verified.ts';

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
    ownApproval: ownApprovalView.optional(),
    ...BAR_MEMBERS,
    permalink: z.string().nullable().describe('To the message, once it is posted'),
  }),
});

export type CallbackBody = z.infer<typeof callbackBody>;

/** For programs. */
export function requesterOf(approval: Approval): z.infer<typeof requesterView> {
  const known = isRequesterKnown(approval);
  return approval.proof === undefined ? { known } : { known, verified: isVerified(approval) };
}
