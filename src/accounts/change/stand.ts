import type { UserProfile } from '../../service/service-user.ts';
import { accountChanges, type TextAttribute } from '../account.ts';
import type { Provisioning } from '../provisioning.ts';
import {
  type AttributeName,
  type Foreseen,
  type Outcome,
  type Wish,
  wantedOf,
} from './account-change.ts';
import { digestOf } from './digest.ts';

/** How the accounts stand, compared with what the person saw and what they want. */
export type Stand =
  /** As the person saw it. */
  | { readonly kind: 'untouched'; readonly account: UserProfile | null }
  /** As they want it. */
  | { readonly kind: 'fulfilled'; readonly account: UserProfile }
  /** Somebody changed these to something else. */
  | {
      readonly kind: 'changed';
      readonly names: readonly AttributeName[];
      readonly account: UserProfile;
    }
  /** Creating would do something else now. */
  | { readonly kind: 'otherwise' }
  /** Creating is not possible: the address is taken, or nobody can tell whose it is. */
  | { readonly kind: 'taken' | 'several' }
  | { readonly kind: 'gone' };

/** null: the service shows no such account. */
export function standOf(
  wish: Exclude<Wish, { kind: 'create' }>,
  account: UserProfile | null,
): Stand {
  if (account === null) return { kind: 'gone' };
  // as: it has these names and no others
  const pending = Object.keys(accountChanges(account, wantedOf(wish))) as AttributeName[];
  if (pending.length === 0) return { kind: 'fulfilled', account };
  if (wish.kind !== 'edit') return { kind: 'untouched', account };
  const isOther = (name: TextAttribute) => digestOf(account[name]) !== wish.base[name];
  const names = pending.filter((name) => name !== 'active').filter(isOther);
  return names.length > 0 ? { kind: 'changed', names, account } : { kind: 'untouched', account };
}

/**
 * The same for an account that is to be created. An account that is active now and was not before
 * (new, or deactivated) is what was wanted; whether that was done here is for the caller to know.
 */
export function standOfCreating({ kind, id }: Foreseen, provisioning: Provisioning): Stand {
  if (provisioning.kind === 'collision') return { kind: 'taken' };
  if (provisioning.kind === 'several') return { kind: 'several' };
  const account = provisioning.kind === 'new' ? null : provisioning.account;
  const isSame = provisioning.kind === kind && (account?.id ?? null) === id;
  if (isSame) return { kind: 'untouched', account };
  const isThere = provisioning.kind === 'link' && (id === null || provisioning.account.id === id);
  if (isThere) return { kind: 'fulfilled', account: provisioning.account };
  return { kind: 'otherwise' };
}

/** What ends it before anything more is sent. */
export function outcomeOf(seen: Exclude<Stand, { kind: 'untouched' | 'fulfilled' }>): Outcome {
  return seen.kind === 'changed'
    ? { code: 'changed-meanwhile', names: seen.names }
    : { code: seen.kind };
}
