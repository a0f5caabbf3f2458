import * as z from 'zod';
import { type Approval, isOpen } from '../approval.ts';

/** What programs read of a request whose route is closed. */

export const closedView = z
  .object({ until: z.iso.datetime(), why: z.string() })
  .describe('Until when its route is closed, and why');

export function closedOf(approval: Approval): z.infer<typeof closedView> | undefined {
  const { now: closed } = approval.closing ?? {};
  if (closed === undefined || !isOpen(approval)) return undefined;
  return { until: new Date(closed.until).toISOString(), why: closed.why };
}
