import type { Route } from '../../config/config.ts';
import { RemoteFailure } from '../../lib/failure.ts';
import {
  idsOf,
  type MembershipRules,
  membershipOf,
  type SlackPerson,
} from '../../people/membership.ts';
import type { PeopleLookup } from '../../slack/lookup.ts';
import type { Approval } from '../approval.ts';
import { isRequester, review } from '../reviewer.ts';

export interface ReviewerNeeds {
  readonly lookup: Pick<PeopleLookup, 'isMember' | 'groupMembers'>;
  readonly workspace: Omit<MembershipRules, 'guests'>;
  readonly routes: readonly Route[];
}

/**
 * Routes on which a person may decide something: those that let in people like them, and name them, a
 * group of theirs, a group that cannot be asked about just now, or a whole channel.
 */
export async function reviewedRoutes(
  { lookup, workspace, routes }: ReviewerNeeds,
  person: SlackPerson,
  signal: AbortSignal,
): Promise<readonly Route[]> {
  const ids = idsOf(person);
  const isAmong = (users: readonly string[]) => ids.some((id) => users.includes(id));
  const isIn = async (group: string) =>
    orWhenUnknown(
      lookup.groupMembers(group, { signal }).then(({ users }) => isAmong(users)),
      true,
    );
  const reviews = await Promise.all(
    routes.map(async ({ guests, reviewers: { users, groups, channel } }) => {
      if (membershipOf(person, { ...workspace, guests }) !== 'member') return false;
      if (channel || isAmong(users)) return true;
      return (await Promise.all(groups.map(isIn))).includes(true);
    }),
  );
  return routes.filter((_, i) => reviews[i]);
}

/** Whether a request waits for a person's decision. `unknown`: Slack does not tell just now. */
export async function waitsFor(
  needs: ReviewerNeeds,
  person: SlackPerson,
  approval: Approval,
  signal: AbortSignal,
): Promise<'yes' | 'no' | 'unknown'> {
  const route = needs.routes.find(({ name }) => name === approval.route);
  const { decision, watch } = approval;
  if (route === undefined || decision !== undefined || watch.state === 'unknown') return 'no';
  if (!route.selfApproval && isRequester(approval, person) !== 'no') return 'no';
  const answer = review(needs, route, approval, person, { signal });
  const told = answer.then(({ found }) => (found === 'reviewer' ? 'yes' : 'no'), outOfSight);
  return orWhenUnknown(told, 'unknown');
}

/**
 * Slack does not show Gatepost a private channel that it was taken out of: a click there is not let
 * through either, and those outside shall not read that something waits in it.
 */
function outOfSight(error: unknown): 'no' {
  if (error instanceof RemoteFailure && error.code === 'channel_not_found') return 'no';
  throw error;
}

async function orWhenUnknown<Value>(asked: Promise<Value>, unknown: Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof RemoteFailure) return unknown;
    throw error;
  }
}
