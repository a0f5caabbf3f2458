import type { Timing } from '../lib/timing.ts';

/** A step that knows when it was planned. */
export interface Planned {
  /** Distinguishes attempts at the same step. */
  readonly plannedAt: number;
}

/** A saved note that a call may have been made. */
export interface Attempt extends Planned {
  /** When its call has certainly ended, however late it began. */
  readonly mustEndBy: number;
}

/** How old the note of an attempt can be when its call begins. */
export const FRESH_MS = 2_000;

/** The note of an attempt at a step that is about to be executed. */
export function attemptAt({ plannedAt }: Planned, { stepMs }: Timing, now: number): Attempt {
  return { plannedAt, mustEndBy: now + FRESH_MS + stepMs };
}

/** Whether the attempt belongs to this very step; if not, the step's result is late. */
export function isOf({ plannedAt }: Planned, attempt: Attempt | undefined): boolean {
  return attempt?.plannedAt === plannedAt;
}
