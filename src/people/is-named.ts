import type { Reviewers } from '../config/config.ts';
import type { Lookup } from '../slack/lookup.ts';

/** Whether somebody is named, alone or as a member of a group. Throws RemoteFailure. */
export async function isNamed(
  lookup: Pick<Lookup, 'groupMembers'>,
  { users, groups }: Pick<Reviewers, 'users' | 'groups'>,
  user: string,
  signal: AbortSignal,
): Promise<boolean> {
  if (users.includes(user)) return true;
  const members = await Promise.all(
    groups.map((group) => lookup.groupMembers(group, { signal, lookingFor: [user] })),
  );
  return members.some((group) => group.users.includes(user));
}

/** What Slack says of people it will not show us. */
export const NO_SUCH_PERSON: ReadonlySet<string> = new Set(['user_not_found', 'user_not_visible']);
