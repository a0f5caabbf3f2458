import type { ServiceUser } from './service-handle.ts';

/** By id or by userName. */
function isAccount(user: ServiceUser, idOrUserName: string): boolean {
  return user.id === idOrUserName || user.userName === idOrUserName;
}

/** The accounts with one changed; a name nobody has adds one. */
export function withAccount(
  users: readonly ServiceUser[],
  idOrUserName: string,
  patch: Partial<ServiceUser>,
  newId: () => string,
): ServiceUser[] {
  if (users.some((user) => isAccount(user, idOrUserName))) {
    return users.map((user) => (isAccount(user, idOrUserName) ? { ...user, ...patch } : user));
  }
  const displayName = idOrUserName.split('@')[0] ?? idOrUserName;
  const made = { userName: idOrUserName, externalId: null, active: true, displayName };
  return [...users, { id: newId(), ...made, ...patch }];
}
