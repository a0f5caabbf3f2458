import { type ApprovalAccess, approvalRequest } from './approval-request.ts';
import { type ApprovalStatus, approvalStatusOf } from './approval-status.ts';
import type { Dialect } from './dialect.ts';
import { unreadable } from './json-of-exchange.ts';
import type { CallLimits, Transport } from './transport.ts';

const OPERATION = 'get approval';

/** Asks for an approval's current status (Interface 4.3). Throws RemoteFailure. */
export async function getApproval(
  needs: { transport: Transport; dialect: Dialect['approval']; access: ApprovalAccess },
  token: string,
  limits: CallLimits = {},
): Promise<ApprovalStatus> {
  const request = approvalRequest(OPERATION, token, needs.access);
  const body = await needs.transport.send({ ...request, method: 'GET' }, limits);
  const status = approvalStatusOf(body, needs.dialect, token);
  if (!status) throw unreadable(OPERATION);
  return status;
}
