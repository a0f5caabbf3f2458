import { newAccount, type ServiceUser } from './account.ts';

/** The accounts with one changed, which is named by id or userName; a name nobody has adds one. */
export function withAccount(
  users: readonly ServiceUser[],
  idOrUserName: string,
  patch: Partial<ServiceUser>,
  newId: () => string,
): ServiceUser[] {
  const isMeant = ({ id, userName }: ServiceUser) =>
    id === idOrUserName || userName === idOrUserName;
  if (!users.some(isMeant)) return [...users, { ...newAccount(newId(), idOrUserName), ...patch }];
  return users.map((user) => (isMeant(user) ? { ...user, ...patch } : user));
}
