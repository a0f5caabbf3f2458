/**
 * The store's lists that an approval is on. While open: its route's, its state's unless it is just waiting, its
 * requester's, those that features add, and the one of denied reads. Decided, for
 * `retention.decided`: its route's and its requester's. Also those of suspended approvals.
 */

export function routeList(route: string): string {
  return `route:${route}`;
}

/** The states of open approvals that `GET` counts separately; all others are just waiting. */
export const COUNTED_STATES = ['unknown', 'blocked'] as const;

/** Few approvals are in these states, so the lists cost little. */
export function stateList(state: (typeof COUNTED_STATES)[number], route: string): string {
  return `state:${state}:${route}`;
}

/** Approvals whose reads the service denies (401, 403). Only counted. */
export const DENIED = 'denied';

/** The same list in version 0.1, which stopped polling them. */
export const UNPOLLED = 'unauthorized';

/** `user`: the requester's Slack id. */
export function requesterList(user: string): string {
  // Stored records use this name.
  return `asker:${user}`;
}

export function decidedList(route: string): string {
  return `decided:${route}`;
}

export function decidedForList(user: string): string {
  return `decided-for:${user}`;
}
