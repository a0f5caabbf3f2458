import { accountChanges } from '../../accounts/account.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { UserAttributes } from '../../service/user-attributes.ts';
import { type Change, expectedOf, type Result } from './change.ts';

/** What the service shows otherwise than it was sent, although it said that it was done. */
export function differences(change: Change, result: Result): (keyof UserAttributes)[] {
  if (result.kind !== 'done' || result.account === null) return [];
  const account: UserProfile = result.account;
  // as: accountChanges gives names of attributes
  const names = Object.keys(
    accountChanges(account, expectedOf(change)),
  ) as (keyof UserAttributes)[];
  // What it does not show does not count.
  return names.filter((name) => account[name] !== null);
}
