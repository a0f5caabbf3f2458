import { readAdministrators } from '../../config/read-config.ts';
import { readLink } from '../../people/identity-link.ts';
import { type Store, StoreError } from '../../store/store.ts';

/**
 * Whether an account is known to be that of an administrator of Gatepost: by the configuration, or by
 * what the bot found out before. False where that is not known.
 */
export async function isAdministrators(
  env: Readonly<Record<string, string | undefined>>,
  store: () => Promise<Pick<Store, 'get' | 'now'> | null>,
  account: string,
): Promise<boolean> {
  const { administrators, identityOverrides } = readAdministrators(env);
  const { users } = administrators;
  if (users.some((user) => identityOverrides[user] === account)) return true;
  if (users.length === 0) return false;
  try {
    const opened = await store();
    if (opened === null) return false;
    const { holder } = await readLink(opened, [], account);
    return holder !== null && users.includes(holder);
  } catch (error) {
    // Without the store nothing is changed, which is said then.
    if (error instanceof StoreError) return false;
    throw error;
  }
}
