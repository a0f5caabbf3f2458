import { STEP_MS } from '../reconcile/flow.ts';
import type { Attempt } from './approval.ts';

/** A step that knows when it was planned. */
type Planned = Pick<Attempt, 'plannedAt'>;

/** The note of an attempt at a step that is sent now. */
export function attemptAt({ plannedAt }: Planned, now: number): Attempt {
  return { plannedAt, mustEndBy: now + STEP_MS };
}

/** Whether an attempt was made at this very step; otherwise the step's result comes late. */
export function isOf({ plannedAt }: Planned, attempt: Attempt | undefined): boolean {
  return attempt?.plannedAt === plannedAt;
}
