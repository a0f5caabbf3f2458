import { FRESH_MS } from '../../core/engine/attempt.ts';
import type { Timing } from '../../core/lib/timing.ts';

/**
 * How long an attempt may take whose closing was read just before somebody closed the route: until it is saved, and
 * until its call has ended.
 */
export function longestAttemptMs({ leaseMs, stepMs }: Timing): number {
  return FRESH_MS + Math.max(leaseMs, FRESH_MS + stepMs);
}
