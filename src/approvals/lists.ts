import type { Approval } from './approval.ts';
import { standstillsOf } from './standstill.ts';

/** Names of the store's lists that approvals stand on. */

export function routeList(route: string): string {
  return `route:${route}`;
}

/** `user`: who asked, as Slack knows them. */
export function askerList(user: string): string {
  return `asker:${user}`;
}

export function listsOf(approval: Approval): readonly string[] {
  return [...openLists(approval), ...standstillsOf(approval)];
}

/** As long as nothing is decided. */
function openLists({ route, requester, outcome, withdrawnAt }: Approval): readonly string[] {
  if (outcome !== undefined || withdrawnAt !== undefined) return [];
  const asker = requester?.user;
  return [routeList(route), ...(asker === undefined ? [] : [askerList(asker)])];
}
