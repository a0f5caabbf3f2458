import * as z from 'zod';
import type { Route } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import type { Approval } from '../approval.ts';
import { namedIn } from '../electorate/clause.ts';
import { electorateOf } from '../electorate/electorate.ts';
import type { ContractPart } from './contract-part.ts';
import { emailAddress, namedPeople, peopleIn } from './contract-values.ts';
import { withReviewers } from './reviewer-emails.ts';

/** What a source sends of those of its route's reviewers who may decide a request. */

/** Each is a question to Slack, for which the source waits. */
const EMAILS_MAX = 20;

/** Also by address, which is looked up (`reviewer-emails.ts`). */
const reviewers = z
  .strictObject({
    ...namedPeople().shape,
    emails: z.array(emailAddress()).max(EMAILS_MAX).optional(),
  })
  .refine(
    ({ users = [], groups = [], emails = [] }) => users.length + groups.length + emails.length > 0,
    { message: 'must name at least one person or group' },
  )
  .optional();

interface Asking {
  /** With the people of its addresses last among the users. */
  readonly reviewers?: z.infer<typeof reviewers>;
}

export const narrowingContract = {
  request: { reviewers },

  lookedUp: (core: Core, request: Asking) => withReviewers(core, request),

  ruled: ({ reviewers }: Asking) => reviewers && { narrowedTo: peopleIn(reviewers) },

  faults({ reviewers: { users = [], emails = [] } = {} }: Asking, route: Route) {
    // Before any escalation.
    const known = namedIn(electorateOf({}, { route, asOf: 0 }).named);
    const byId = users.length - emails.length;
    return users.flatMap((user, at) => {
      if (known?.includes(user) ?? true) return [];
      const place = at < byId ? `users/${at}` : `emails/${at - byId}`;
      return [{ pointer: `/reviewers/${place}`, detail: 'is not a reviewer of this route' }];
    });
  },

  tooFew: { pointer: '/reviewers', detail: 'leave fewer people than the route needs' },

  content({ narrowedTo: { users, groups } = { users: [], groups: [] } }: Approval) {
    return [users.toSorted(), groups.toSorted()];
  },
} satisfies ContractPart;
