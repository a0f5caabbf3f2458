import { pathSegment } from './path-segment.ts';
import type { ServiceRequest } from './transport.ts';

export interface ApprovalAccess {
  readonly auth: 'none' | 'bearer';
  readonly apiKey: string | null;
}

/**
 * The address and headers that both approval endpoints share (Interface 4.3, 4.4, 5). A token that
 * would turn into another path is refused (`bad_token`) and nothing is sent.
 */
export function approvalRequest(
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
