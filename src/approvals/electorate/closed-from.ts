import { FRESH_MS } from '../../core/engine/attempt.ts';
import type { Timing } from '../../core/lib/timing.ts';

/**
 * From when on a route is closed that somebody closes now: an attempt whose closing was read just before that has been
 * saved by then, and its call has ended. A full second, as people read it.
 */
export function closedFrom(now: number, { leaseMs, stepMs }: Timing): number {
  const longestMs = FRESH_MS + Math.max(leaseMs, FRESH_MS + stepMs);
  return Math.ceil((now + longestMs) / 1_000) * 1_000;
}
