import type { UserProfile } from '../../service/service-user.ts';
import { accountChanges } from '../account.ts';
import { type AttributeName, type Done, type Wish, wantedOf } from './account-change.ts';
import { accountNamed } from './account-named.ts';

/** It is done, and the service shows the account so. null: it does not show it. */
export function doneWith(wish: Wish, user: UserProfile | null): Done {
  return {
    code: 'done',
    how: howOf(wish, user),
    account: user === null ? null : accountNamed(user),
    unlike: user === null ? [] : unlike(wish, user),
  };
}

function howOf(wish: Wish, user: UserProfile | null): Done['how'] {
  switch (wish.kind) {
    case 'create':
      // The service's answer decides: another account than the one that was there is a new one.
      if (wish.foreseen.id === null || (user !== null && user.id !== wish.foreseen.id)) {
        return 'created';
      }
      return wish.foreseen.kind === 'reactivate' ? 'reactivated' : 'linked';
    case 'edit':
      return 'changed';
    case 'deactivate':
      return 'deactivated';
    case 'activate':
      return 'activated';
  }
}

/** What of the wish the account does not show; a service may say nothing of `active`. */
export function unlike(wish: Wish, user: UserProfile): AttributeName[] {
  // as: it has these names and no others
  const names = Object.keys(accountChanges(user, wantedOf(wish))) as AttributeName[];
  return user.active === null ? names.filter((name) => name !== 'active') : names;
}
