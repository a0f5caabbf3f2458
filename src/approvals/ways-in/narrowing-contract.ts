import type { Route } from '../../core/config/config.ts';
import type { Approval } from '../approval.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { type ContractPart, namedIn } from './contract-part.ts';
import { namedPeople, peopleIn } from './contract-values.ts';

/** What a source sends of those of its route's reviewers who may decide a request. */

const reviewers = namedPeople().optional();

interface Asking {
  readonly reviewers?: Parameters<typeof peopleIn>[0] | undefined;
}

export const narrowingContract = {
  request: { reviewers },

  ruled: ({ reviewers }: Asking) => reviewers && { narrowedTo: peopleIn(reviewers) },

  faults({ reviewers: { users = [] } = {} }: Asking, route: Route) {
    // Before any escalation.
    const known = namedIn(electorateOf({}, { route, asOf: 0 }).named);
    return users.flatMap((user, at) =>
      (known?.includes(user) ?? true)
        ? []
        : [{ pointer: `/reviewers/users/${at}`, detail: 'is not a reviewer of this route' }],
    );
  },

  tooFew: { pointer: '/reviewers', detail: 'leave fewer people than the route needs' },

  content({ narrowedTo: { users, groups } = { users: [], groups: [] } }: Approval) {
    return [users.toSorted(), groups.toSorted()];
  },
} satisfies ContractPart;
