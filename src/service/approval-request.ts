import { RemoteFailure } from '../lib/failure.ts';
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
  const isPathSegment = token !== '' && token !== '.' && token !== '..' && !/\p{Cs}/u.test(token);
  if (!isPathSegment) throw new RemoteFailure(operation, { class: 'refused', code: 'bad_token' });
  return {
    operation,
    path: `/api/v1/automation/approvals/${encodeURIComponent(token)}`,
    headers: auth === 'bearer' && apiKey !== null ? { authorization: `Bearer ${apiKey}` } : {},
    secrets: [token],
  };
}
