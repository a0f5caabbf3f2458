import type { Route } from '../../core/config/config.ts';
import type { Approval } from '../approval.ts';
import { clockShows } from './bar.ts';
import { stopsOf } from './electorate.ts';

/** When those who can still decide are reminded. */
export interface Reminder {
  /** Of its post. */
  readonly name: string;
  readonly at: number;
}

export const REMINDER = 'reminder-';
export const LAST_CALL = 'last-call';
/** It comes this long before a deadline, or after three quarters of a shorter time. */
const LAST_CALL_MS = 15 * 60_000;

export function remindersOf(
  approval: Approval,
  { afterMs, times }: Route['remind'] = { afterMs: null, times: 0 },
): readonly Reminder[] {
  const { createdAt, expiresAt } = approval;
  if (afterMs === null) return [];
  const stops = stopsOf(approval);
  const reminders = Array.from({ length: times }, (_, index) => ({
    name: `${REMINDER}${index + 1}`,
    // Each wait is twice the previous one.
    at: clockShows(stops, createdAt + afterMs * (2 ** (index + 1) - 1)),
  }));
  if (expiresAt === undefined) return reminders;
  const leadMs = Math.min(LAST_CALL_MS, (expiresAt - createdAt) / 4);
  return [...reminders, { name: LAST_CALL, at: Math.round(expiresAt - leadMs) }];
}
