import { type ApprovalAccess, approvalRequest } from './approval-request.ts';
import { type ApprovalStatus, approvalStatusOf } from './approval-status.ts';
import type { Dialect } from './dialect.ts';
import { unreadable } from './json-of-exchange.ts';
import type { CallLimits, Transport } from './transport.ts';

const OPERATION = 'respond to approval';

export interface ApprovalResponse {
  readonly action: 'approve' | 'reject';
  /** The service's id of the person who decided; null: none is sent. */
  readonly userId: string | null;
}

/** The approval after the response: what the service says, even when it is not what was asked. */
export type ApprovalResult = Omit<ApprovalStatus, 'prompt'>;

/**
 * Approves or rejects (Interface 4.4). Sends once and never repeats. Throws RemoteFailure; `ambiguous`
 * and `unreadable` may have decided.
 */
export async function respondToApproval(
  needs: { transport: Transport; dialect: Dialect['approval']; access: ApprovalAccess },
  token: string,
  { action, userId }: ApprovalResponse,
  limits: CallLimits = {},
): Promise<ApprovalResult> {
  const request = approvalRequest(OPERATION, token, needs.access);
  const body = userId === null ? { action } : { action, userId };
  const answer = await needs.transport.send({ ...request, method: 'POST', body }, limits);
  const read = approvalStatusOf(answer, needs.dialect, token);
  if (!read) throw unreadable(OPERATION);
  return { status: read.status, raw: read.raw, resolvedAt: read.resolvedAt };
}
