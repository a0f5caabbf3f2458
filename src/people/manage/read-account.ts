import { z } from 'zod';
import type { UsersClient } from '../../service/service-client.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { CallLimits } from '../../service/transport.ts';

/** An account as a button names it. */
const reference = z.strictObject({ id: z.string(), userName: z.string() });
export type AccountReference = z.infer<typeof reference>;

export function referenceTo({ id, userName }: AccountReference): AccountReference {
  return { id, userName };
}

/** undefined: values come back from outside. */
export function readReference(text: string): AccountReference | undefined {
  try {
    return reference.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * The account as it stands now; undefined: the service shows none with this id. By its address first,
 * which is the filter that every service understands. Throws RemoteFailure.
 */
export async function readAccount(
  users: Pick<UsersClient, 'find'>,
  { id, userName }: AccountReference,
  limits: CallLimits = {},
): Promise<UserProfile | undefined> {
  const namesake = await users.find('userName', userName, limits);
  if (namesake.kind === 'found' && namesake.user.id === id) return namesake.user;
  const match = await users.find('id', id, limits);
  return match.kind === 'found' ? match.user : undefined;
}
