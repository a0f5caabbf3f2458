import type { Reviewers, Route } from '../config/config.ts';
import { foldEmail } from '../lib/fold-email.ts';
import { idsOf, type SlackPerson } from '../people/membership.ts';
import type { LookupOptions, PeopleLookup } from '../slack/lookup.ts';
import type { Approval } from './approval.ts';

/** What Slack says of people it will not show us. */
export const NO_SUCH_PERSON: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

export interface ReviewNeeds {
  readonly lookup: Pick<PeopleLookup, 'isMember' | 'groupMembers'>;
}

/** Stands for everybody in the channel, among ids of groups. */
export const CHANNEL = 'channel';

/** Unknown: only an address is known of the requester, and none of the person. A name tells nothing. */
export function isRequester(
  { requester }: Approval,
  person: SlackPerson,
): 'yes' | 'no' | 'unknown' {
  const { email } = person;
  if (requester?.user !== undefined && idsOf(person).includes(requester.user)) return 'yes';
  if (requester?.email === undefined) return 'no';
  if (email === null) return requester.user === undefined ? 'unknown' : 'no';
  return foldEmail(requester.email) === foldEmail(email) ? 'yes' : 'no';
}

/**
 * Whether a person is of the route's reviewers, and of those the request narrows them to. dropped: the
 * request names them and the route does not, or no more. `missingGroups` are groups that are no more.
 */
export async function review(
  { lookup }: ReviewNeeds,
  { reviewers }: Route,
  { channel, narrowedTo }: Approval,
  person: Pick<SlackPerson, 'id' | 'globalId'>,
  options: LookupOptions,
): Promise<Review> {
  const ids = idsOf(person);
  const missing = new Set<string>();
  const through = new Set<string>();
  const isIn = async (group: string) => {
    const members = await lookup.groupMembers(group, { ...options, lookingFor: ids });
    if (members.missing !== null) missing.add(group);
    const isOne = ids.some((id) => members.users.includes(id));
    if (isOne) through.add(group);
    return isOne;
  };
  const isInside = async () => {
    const isOne = await lookup.isMember(channel, person.id, options);
    if (isOne) through.add(CHANNEL);
    return isOne;
  };
  const isNamed = async ({ users, groups }: Pick<Reviewers, 'users' | 'groups'>) =>
    ids.some((id) => users.includes(id)) || (await Promise.all(groups.map(isIn))).includes(true);
  const isOfRoute = async () =>
    (await isNamed(reviewers)) || (reviewers.channel && (await isInside()));
  const isWanted = narrowedTo === undefined || (await isNamed(narrowedTo));
  const isReviewer = isWanted && (await isOfRoute());
  const isDropped = isWanted && narrowedTo !== undefined;
  const found = isReviewer ? 'reviewer' : isDropped ? 'dropped' : 'other';
  return { found, through: [...through], missingGroups: [...missing] };
}

export interface Review {
  readonly found: 'reviewer' | 'dropped' | 'other';
  /** Groups, or `channel`, that the person is in. */
  readonly through: readonly string[];
  readonly missingGroups: readonly string[];
}
