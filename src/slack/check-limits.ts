import type { z } from 'zod';
import { RemoteFailure } from '../lib/failure.ts';

/**
 * Refuses what Slack would refuse, before it is sent. Throws RemoteFailure `refused` with code
 * `invalid_blocks` and the JSON pointer of the first fault; the value is not repeated.
 */
export function checkLimits(operation: string, schema: z.ZodType, value: unknown): void {
  const fault = schema.safeParse(value).error?.issues[0];
  if (fault === undefined) return;
  const detail = `${fault.code} at /${fault.path.map(String).join('/')}`;
  throw new RemoteFailure(operation, { class: 'refused', code: 'invalid_blocks', detail });
}
