import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { CallLimits } from '../../service/transport.ts';
import type { AccountNamed } from './account-named.ts';

/**
 * The account as it stands now; undefined: the service shows none with this id. By its address first,
 * which is the filter that every service understands. Throws RemoteFailure.
 */
export async function readAccount(
  users: Pick<UsersClient, 'find'>,
  { id, userName }: Pick<AccountNamed, 'id' | 'userName'>,
  limits: CallLimits = {},
): Promise<UserProfile | undefined> {
  const namesake = await users.find('userName', userName, limits);
  if (namesake.kind === 'found' && namesake.user.id === id) return namesake.user;
  const match = await users.find('id', id, limits);
  return match.kind === 'found' ? match.user : undefined;
}
