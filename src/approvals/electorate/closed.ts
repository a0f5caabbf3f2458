import {
  type ClosedTime,
  clockTime,
  closedTime,
  isForward,
  zoneName,
} from '../../core/config/closed-time.ts';
import type { Route } from '../../core/config/config.ts';
import { section, somebody } from '../../core/config/file.ts';
import { displayName, list, type NamedPeople, oneOf } from '../../core/config/values.ts';
import { isOwnGate } from '../approval.ts';
import type { Barred, Stop } from './bar.ts';
import type { Clause, RequestRules } from './clause.ts';

/**
 * A closed route: its requests wait, and nobody's approval counts. A record knows it from its last read
 * (`read-closing.ts`); the closings of people are records too (`closing.ts`).
 */

declare module '../approval.ts' {
  interface Approval {
    readonly closing?: ClosingSeen;
  }
}

declare module './bar.ts' {
  interface Bars {
    readonly 'route-closed': unknown;
  }
  interface BarFacts {
    /** `hasSpent`: an approval that would have been enough was spent. */
    readonly closed?: Barred & { readonly hasSpent?: true };
  }
}

declare module '../../core/config/file.ts' {
  interface RouteMembers {
    /** Nobody can approve then: requests wait. */
    readonly closed: readonly ClosedTime[];
    /** Who can close and open it, besides administrators. */
    readonly closers: NamedPeople;
    /** loud: a loud self-approval counts while it is closed. */
    readonly closedAllows: 'none' | 'loud';
  }
}

const closedSection = section({
  from: clockTime,
  to: clockTime,
  zone: zoneName,
  why: displayName,
})
  .refine(isForward, { path: ['to'], error: 'must be later than from' })
  .transform(closedTime);

/** What a record knows of the times in which its route is closed. */
export interface ClosingSeen {
  /** When it was last read, and found open or closed; absent: not yet. */
  readonly readAt?: number;
  /** When it is read again, because the store did not answer. */
  readonly againAt?: number;
  /** When somebody closed or opened it since. */
  readonly changedAt?: number;
  /** It is closed, and waits since then. */
  readonly now?: Barred & { readonly since: number; readonly hasSpent?: true };
  /** When it waited before, in order. */
  readonly earlier?: readonly Stop[];
}

/** `isLoud`: its requester can approve it, as `isLoudAllowed` says. */
type ClosedRule = Barred & { readonly code: 'closed'; readonly isLoud: boolean };

export const closed: Clause<unknown, ClosedRule> = {
  pieces: {
    closed: list(closedSection),
    closers: section(somebody).prefault({}),
    closedAllows: oneOf('none', 'loud').default('none'),
  },

  check: {
    path: 'closedAllows',
    error: 'is loud, which needs selfApproval: loud',
    holds: ({ route }) => route === undefined || route.closedAllows === 'none' || isLoudOn(route),
  },

  start: () => ({}),

  shape({ route, since, until }, request, asOf) {
    const { now } = request.closing ?? {};
    if (now === undefined) return undefined;
    if (asOf >= now.until) return { since: Math.max(since, now.until) };
    const allowsLoud = isLoudAllowed(request, route);
    const { since: _, ...closed } = now;
    const said = { until: now.until, why: now.why };
    const bar = { code: 'route-closed', ...said, allowsLoud, facts: { closed } } as const;
    return { bar, until: Math.min(until, now.until) };
  },

  rules({ bar }) {
    if (bar?.code !== 'route-closed') return [];
    const { until, why, allowsLoud: isLoud } = bar;
    return [{ code: 'closed', until, why, isLoud }];
  },
};

/** Of these times, the one that ends last is shown; undefined: none. */
export function lastOf(times: readonly Barred[]): Barred | undefined {
  return times.reduce<Barred | undefined>(
    (last, { until, why }) => (last === undefined || until > last.until ? { until, why } : last),
    undefined,
  );
}

/** The windows of the file that are open then. */
export function windowsAt(route: Route | undefined, at: number): readonly Barred[] {
  return (route?.closed ?? []).filter(({ from, until }) => from <= at && at < until);
}

/** When the next window of the file begins; undefined: none. */
export function nextWindowAt(route: Route | undefined, now: number): number | undefined {
  const ahead = (route?.closed ?? []).map(({ from }) => from).filter((from) => from > now);
  return ahead.length === 0 ? undefined : Math.min(...ahead);
}

/** Whether a requester's own approval, of which everybody else is told first, counts while it is closed. */
export function isLoudAllowed(request: RequestRules, route: Route | undefined): boolean {
  return isOwnGate(request) && route !== undefined && isLoudOn(route);
}

/** Of own gates. */
export function isLoudOn({ closedAllows, selfApproval }: Route): boolean {
  return closedAllows === 'loud' && selfApproval === 'loud';
}
