import type { UserMatch } from '../service/find-user.ts';
import type { UsersClient } from '../service/service-client.ts';
import type { UserProfile } from '../service/service-user.ts';
import type { CallLimits } from '../service/transport.ts';

/**
 * The account that somebody names by its userName or its id (Interface 4.5: it is looked for in the
 * list). An address is looked for among addresses first. Throws RemoteFailure.
 */
export async function findAccount(
  users: Pick<UsersClient, 'find'>,
  nameOrId: string,
  limits: CallLimits = {},
): Promise<UserMatch<UserProfile>> {
  const name = nameOrId.trim();
  if (name === '') return { kind: 'none' };
  const first = name.includes('@') ? 'userName' : 'id';
  const match = await users.find(first, name, limits);
  if (match.kind !== 'none') return match;
  return users.find(first === 'id' ? 'userName' : 'id', name, limits);
}
