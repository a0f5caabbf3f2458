import type { Reviewers, Route } from '../config/config.ts';
import { foldEmail } from '../lib/fold-email.ts';
import type { SlackPerson } from '../people/slack-person.ts';
import type { Lookup } from '../slack/lookup.ts';
import type { Approval } from './approval.ts';

/** What Slack says of people it will not show us. */
export const NO_SUCH_PERSON: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);

export interface ReviewNeeds {
  readonly lookup: Pick<Lookup, 'isMember' | 'groupMembers'>;
}

/** Unknown: only an address is known of the requester, and none of the person. A name tells nothing. */
export function isRequester(
  { requester }: Approval,
  { id, email }: SlackPerson,
): 'yes' | 'no' | 'unknown' {
  if (requester?.user === id) return 'yes';
  if (requester?.email === undefined) return 'no';
  if (email === null) return requester.user === undefined ? 'unknown' : 'no';
  return foldEmail(requester.email) === foldEmail(email) ? 'yes' : 'no';
}

/** Of the route's reviewers, and of those the request narrows them to; and groups that are no more. */
export async function review(
  { lookup }: ReviewNeeds,
  { reviewers }: Route,
  { channel, narrowedTo }: Approval,
  user: string,
  signal: AbortSignal,
): Promise<{ readonly isReviewer: boolean; readonly missingGroups: readonly string[] }> {
  const missing = new Set<string>();
  const isIn = async (group: string) => {
    const members = await lookup.groupMembers(group, { signal });
    if (members.missing !== null) missing.add(group);
    return members.users.includes(user);
  };
  const isNamed = async ({ users, groups }: Pick<Reviewers, 'users' | 'groups'>) =>
    users.includes(user) || (await Promise.all(groups.map(isIn))).includes(true);
  const isReviewer =
    (narrowedTo === undefined || (await isNamed(narrowedTo))) &&
    ((await isNamed(reviewers)) ||
      (reviewers.channel && (await lookup.isMember(channel, user, { signal }))));
  return { isReviewer, missingGroups: [...missing] };
}
