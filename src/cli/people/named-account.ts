import { findAccount } from '../../accounts/account.ts';
import { NOT_FOUND, NOT_FOUND_PARTIAL, SEVERAL_FOUND } from '../../accounts/trouble.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { Session } from './session.ts';

/** The account that somebody names; null, and said, when there is not exactly one. */
export async function namedAccount(
  { users, output }: Session,
  person: string,
): Promise<UserProfile | null> {
  const match = await findAccount(users, person);
  if (match.kind === 'found') return match.user;
  if (match.kind === 'several') output.note(SEVERAL_FOUND);
  else output.note(match.isPartial ? NOT_FOUND_PARTIAL : NOT_FOUND);
  output.json([]);
  return null;
}
