import type { Timing } from '../lib/timing.ts';

/** A step that knows when it was planned. */
export interface Planned {
  /** Tells an attempt at it from other attempts at the same. */
  readonly plannedAt: number;
}

/** The note of a call whose end is not known. */
export interface Attempt extends Planned {
  /** When its call has ended for certain, however late it began. */
  readonly mustEndBy: number;
}

/** How old the note of an attempt may be when its call begins. */
export const FRESH_MS = 2_000;

/** The note of an attempt at a step that is sent now. */
export function attemptAt({ plannedAt }: Planned, { stepMs }: Timing, now: number): Attempt {
  return { plannedAt, mustEndBy: now + FRESH_MS + stepMs };
}

/** Whether an attempt was made at this very step; otherwise the step's result comes late. */
export function isOf({ plannedAt }: Planned, attempt: Attempt | undefined): boolean {
  return attempt?.plannedAt === plannedAt;
}
