import { type ApprovalStatus, approvalStatusOf } from './approval-status.ts';
import type { Dialect } from './dialect.ts';
import { unreadable } from './json-of-exchange.ts';
import { type CallLimits, pathSegment, type ServiceRequest, type Transport } from './transport.ts';

interface ApprovalAccess {
  readonly auth: 'none' | 'bearer';
  readonly apiKey: string | null;
}

export interface GetLimits extends CallLimits {
  /** Whether to read the service's prompt. Default true. */
  readonly withPrompt?: boolean;
}

/** Reads an approval's status (Interface 4.3). Throws RemoteFailure. */
export async function getApproval(
  needs: { transport: Transport; dialect: Dialect['approval']; access: ApprovalAccess },
  token: string,
  { withPrompt = true, ...limits }: GetLimits = {},
): Promise<ApprovalStatus> {
  const request = approvalRequest('get approval', token, needs.access);
  const body = await needs.transport.send({ ...request, method: 'GET' }, limits);
  const status = approvalStatusOf(body, needs.dialect, token, { withPrompt });
  if (!status) throw unreadable('get approval');
  return status;
}

export interface ApprovalResponse {
  readonly action: 'approve' | 'reject';
  /** The service's id of the person who decided; null: not sent. */
  readonly userId: string | null;
}

/** The approval after the response: the service's status, even if it is not the requested one. */
export type ApprovalResult = Omit<ApprovalStatus, 'prompt'>;

/**
 * Approves or rejects (Interface 4.4). Sent once, never retried. Throws RemoteFailure; `ambiguous` and `unreadable` may
 * have decided it.
 */
export async function respondToApproval(
  needs: { transport: Transport; dialect: Dialect['approval']; access: ApprovalAccess },
  token: string,
  { action, userId }: ApprovalResponse,
  limits: CallLimits = {},
): Promise<ApprovalResult> {
  const request = approvalRequest('respond to approval', token, needs.access);
  const body = userId === null ? { action } : { action, userId };
  const answer = await needs.transport.send({ ...request, method: 'POST', body }, limits);
  const read = approvalStatusOf(answer, needs.dialect, token, { withPrompt: false });
  if (!read) throw unreadable('respond to approval');
  return { status: read.status, raw: read.raw, resolvedAt: read.resolvedAt };
}

/**
 * The address and headers of both approval endpoints (Interface 4.3, 4.4, 5). A token that would change the path is
 * refused (`bad_token`), and nothing is sent.
 */
function approvalRequest(
  operation: string,
  token: string,
  { auth, apiKey }: ApprovalAccess,
): Pick<ServiceRequest, 'operation' | 'path' | 'headers' | 'secrets'> {
  return {
    operation,
    path: `/api/v1/automation/approvals/${pathSegment(operation, token, 'bad_token')}`,
    headers: auth === 'bearer' && apiKey !== null ? { authorization: `Bearer ${apiKey}` } : {},
    secrets: [token],
  };
}
