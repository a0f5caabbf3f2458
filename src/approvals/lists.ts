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
  return [...(isOpen(approval) ? openLists(approval) : []), ...standstillsOf(approval)];
}

/** Nothing is decided, and it was not withdrawn. */
export function isOpen({ outcome, withdrawnAt }: Approval): boolean {
  return outcome === undefined && withdrawnAt === undefined;
}

function openLists({ route, requester }: Approval): readonly string[] {
  const asker = requester?.user;
  return [routeList(route), ...(asker === undefined ? [] : [askerList(asker)])];
}
