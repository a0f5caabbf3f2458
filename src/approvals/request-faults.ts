import type { Route } from '../config/config.ts';
import type { FieldError } from '../http/problem.ts';
import type { ApprovalRequest } from './approval-request.ts';

/** What a request asks of its route that the route can never give: nobody could decide it. */
export function requestFaults(route: Route, request: ApprovalRequest): FieldError[] {
  const { users, groups, channel } = route.reviewers;
  // Who is in a group or a channel is known only at the click.
  if (groups.length > 0 || channel) return [];
  const wanted = request.reviewers?.users ?? [];
  const strangers = wanted.flatMap((user, at) =>
    users.includes(user)
      ? []
      : [{ pointer: `/reviewers/users/${at}`, detail: 'is no reviewer of this route' }],
  );
  const narrowed = request.reviewers !== undefined && (request.reviewers.groups ?? []).length === 0;
  const people = narrowed ? new Set(wanted).size : users.length;
  const isTooMany = people > 0 && (request.quorum ?? 1) > people;
  return isTooMany
    ? [...strangers, { pointer: '/quorum', detail: 'is more than there are reviewers' }]
    : strangers;
}
