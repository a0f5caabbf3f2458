import { createHash } from 'node:crypto';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { UserProfile } from '../../core/service/service-user.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import { accountChanges, accountNamed, type TextAttribute } from './account.ts';
import type { AccountsReading, AttributeName, Change, Done } from './change.ts';
import type { Provisioning } from './provisioning.ts';

/** The accounts compared with what a person saw and wants. */
export type Comparison =
  /** As the person saw it. `isPartial`: not all accounts were listed, and one of them may be it. */
  | {
      readonly kind: 'untouched';
      readonly account: UserProfile | null;
      readonly isPartial?: boolean;
    }
  /** As they want it. */
  | { readonly kind: 'fulfilled'; readonly account: UserProfile }
  /** Somebody changed these to other values. */
  | {
      readonly kind: 'changed';
      readonly names: readonly AttributeName[];
      readonly account: UserProfile;
    }
  /** Creating would now do something else. */
  | { readonly kind: 'otherwise' }
  /** It cannot be created: another account has the address, or several match. */
  | { readonly kind: 'collision'; readonly account: UserProfile }
  | { readonly kind: 'several' }
  | { readonly kind: 'gone' }
  /** Not all accounts were listed, and one of the others may be it. */
  | { readonly kind: 'not-shown' };

export function compareAccounts(change: Change, reading: AccountsReading): Comparison {
  if (change.kind === 'create') {
    if (reading.kind !== 'foreseen') throw new Error('what creating would do is read for it');
    return compareCreating(change, reading.provisioning);
  }
  if (reading.kind !== 'account') throw new Error('the account is read for it');
  const { account, isPartial = false } = reading;
  if (account === null) return { kind: isPartial ? 'not-shown' : 'gone' };
  const pending = pendingOf(change, account);
  if (pending.length === 0) return { kind: 'fulfilled', account };
  if (change.kind !== 'edit') return { kind: 'untouched', account };
  const isOther = (name: TextAttribute) => digestOf(account[name]) !== change.base[name];
  const names = pending.filter((name) => name !== 'active').filter(isOther);
  return names.length > 0 ? { kind: 'changed', names, account } : { kind: 'untouched', account };
}

/**
 * If the account now exists as wanted, and did not before, it is fulfilled; the caller has to know whether that was
 * done here.
 */
function compareCreating(
  { foreseen: { kind, id }, user }: Extract<Change, { kind: 'create' }>,
  provisioning: Provisioning,
): Comparison {
  if (provisioning.kind === 'collision') return provisioning;
  if (provisioning.kind === 'several') return { kind: 'several' };
  const [account, isPartial] =
    provisioning.kind === 'new' ? [null, provisioning.isPartial] : [provisioning.account, false];
  const isSame = provisioning.kind === kind && (account?.id ?? null) === id;
  if (isSame) return { kind: 'untouched', account, isPartial };
  const isWanted = provisioning.kind === (user.active === false ? 'reactivate' : 'link');
  if (isWanted && account !== null && (id === null || account.id === id)) {
    return { kind: 'fulfilled', account };
  }
  return { kind: 'otherwise' };
}

/** The attributes that the account should have, once it exists. */
export function wantedOf(change: Change): Partial<UserAttributes> {
  switch (change.kind) {
    case 'create': {
      const { userName, ...attributes } = change.user;
      return { active: true, ...attributes };
    }
    case 'edit':
      return change.values;
    case 'activate':
      return { active: true };
    case 'deactivate':
      return { ...change.values, active: false };
    case 'delete':
      return { active: false };
  }
}

/** The attributes in which the account differs from what is wanted. */
export function pendingOf(change: Change, account: UserProfile): AttributeName[] {
  // as: the object has exactly these names
  return Object.keys(accountChanges(account, wantedOf(change))) as AttributeName[];
}

/** Done, with the account as the service shows it; null: it does not. */
export function doneWith(change: Change, user: UserProfile | null): Done {
  const pending = user === null ? [] : pendingOf(change, user);
  return {
    code: doneCode(change, user),
    account: user === null ? null : accountNamed(user),
    // A service may not show all attributes (Interface 2.5): only a different value counts.
    unlike: pending.filter((name) => user !== null && user[name] !== null),
  };
}

function doneCode(change: Change, user: UserProfile | null): Done['code'] {
  switch (change.kind) {
    case 'create': {
      const { foreseen } = change;
      // The service's answer decides: a different account than expected is new, or was not listed.
      if (foreseen.id === null || (user !== null && user.id !== foreseen.id)) {
        return change.user.externalId === undefined ? 'created-or-linked' : 'created';
      }
      return foreseen.kind === 'reactivate' ? 'reactivated' : 'linked';
    }
    case 'edit':
      return 'changed';
    case 'activate':
      return 'activated';
    case 'deactivate':
    case 'delete':
      return 'deactivated';
  }
}

/** Shows whether a text is unchanged, as a form displays it; a missing one equals an empty one. */
export function digestOf(text: string | null): string {
  return createHash('sha256')
    .update(cleanLine(text ?? ''))
    .digest('base64url')
    .slice(0, 12);
}
