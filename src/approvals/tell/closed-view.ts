import type { ApprovalDetails } from '../../../ask/contract/approval-details.ts';
import { type Approval, isOpen } from '../approval.ts';

/** What programs read of a request whose route is closed. */

export function closedOf(approval: Approval): ApprovalDetails['closed'] {
  const { now: closed } = approval.closing ?? {};
  if (closed === undefined || !isOpen(approval)) return undefined;
  return { until: new Date(closed.until).toISOString(), why: closed.why };
}
