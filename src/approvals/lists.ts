import type { Approval } from './approval.ts';
import { isDenied } from './failure.ts';
import { statusOf } from './intake-contract.ts';
import { suspensionsOf } from './suspension.ts';

/**
 * The store's lists that an approval is on. Open: of its route, of its state where that is not just waiting, of
 * who asked, of those that a newer one replaces, while its reads are denied. Decided, as long as `retention.decided`: of its route and of who asked.
 * And while it is suspended.
 */

export function routeList(route: string): string {
  return `route:${route}`;
}

/** The states of an open approval that are counted apart, as `GET` says them; any other only waits. */
export const COUNTED_STATES = ['unknown', 'blocked'] as const;

/** Few are in one of these: the others cost the store nothing more. */
export function stateList(state: (typeof COUNTED_STATES)[number], route: string): string {
  return `state:${state}:${route}`;
}

/** The service denies the read (401, 403) of those on it. Only counted. */
export const DENIED = 'denied';

/** The same of version 0.1, which polled them no more. */
export const UNPOLLED = 'unauthorized';

/** `user`: who asked, as Slack knows them. */
export function requesterList(user: string): string {
  // Records that are stored have this name.
  return `asker:${user}`;
}

export function decidedList(route: string): string {
  return `decided:${route}`;
}

export function decidedForList(user: string): string {
  return `decided-for:${user}`;
}

/** Open requests of one source of which the newest replaces the others. */
export function supersedingList(name: string): string {
  return `supersedes:${name}`;
}

export function listsOf(approval: Approval): readonly string[] {
  return [
    ...(isOpen(approval) ? openLists(approval) : []),
    ...(approval.outcome === undefined ? [] : decidedLists(approval)),
    ...suspensionsOf(approval),
  ];
}

function decidedLists({ route, requester }: Approval): readonly string[] {
  const user = requester?.user;
  return [decidedList(route), ...(user === undefined ? [] : [decidedForList(user)])];
}

/** Nothing is decided, and it was not withdrawn. */
export function isOpen({ outcome, withdrawnAt }: Approval): boolean {
  return outcome === undefined && withdrawnAt === undefined;
}

function openLists(approval: Approval): readonly string[] {
  const { route, requester, watch, supersedes } = approval;
  const user = requester?.user;
  const status = statusOf(approval).toLowerCase();
  const state = COUNTED_STATES.find((each) => each === status);
  return [
    routeList(route),
    ...(state === undefined ? [] : [stateList(state, route)]),
    ...(user === undefined ? [] : [requesterList(user)]),
    ...(isDenied(watch) ? [DENIED] : []),
    ...(supersedes === undefined ? [] : [supersedingList(supersedes.name)]),
  ];
}
