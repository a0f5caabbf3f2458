import * as z from 'zod';
import { knownZone, timeOfClock } from '../lib/wall-clock.ts';

/** A time in which a route is closed, as gatepost.yaml gives it: by the clocks of a time zone. */

/** `from` is inclusive, `until` exclusive, in milliseconds. */
export interface ClosedTime {
  readonly from: number;
  readonly until: number;
  readonly why: string;
}

/** As if the clock showed UTC. */
export const clockTime = z
  .string({ error: 'must be a time such as 2026-12-23T18:00, without a zone' })
  .transform((typed, context) => {
    const wall = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/u.test(typed)
      ? Date.parse(`${typed}:00Z`)
      : Number.NaN;
    // The 30th of February is read as a day in March.
    if (!Number.isNaN(wall) && new Date(wall).toISOString().startsWith(typed)) return wall;
    context.addIssue('must be a time such as 2026-12-23T18:00, without a zone');
    return z.NEVER;
  });

export const zoneName = z
  .string({ error: 'must be the name of a time zone such as Europe/Berlin' })
  .refine((name) => knownZone(name) !== null, {
    error: 'must be the name of a time zone such as Europe/Berlin',
  });

interface Written {
  readonly from: number;
  readonly to: number;
  readonly zone: string;
  readonly why: string;
}

export function isForward({ from, to }: Written): boolean {
  return from < to;
}

export function closedTime({ from, to, zone, why }: Written): ClosedTime {
  return { from: timeOfClock(from, zone), until: timeOfClock(to, zone), why };
}
