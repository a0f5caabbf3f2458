import type { Approval } from './approval.ts';

/** Names of the store's lists that approvals stand on, as long as nothing is decided. */

export function routeList(route: string): string {
  return `route:${route}`;
}

/** `user`: who asked, as Slack knows them. */
export function askerList(user: string): string {
  return `asker:${user}`;
}

export function listsOf({ route, requester, outcome, withdrawnAt }: Approval): readonly string[] {
  if (outcome !== undefined || withdrawnAt !== undefined) return [];
  const asker = requester?.user;
  return [routeList(route), ...(asker === undefined ? [] : [askerList(asker)])];
}
