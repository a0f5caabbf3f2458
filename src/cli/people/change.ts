import type { Provisioning } from '../../accounts/provisioning.ts';
import type { Trouble } from '../../accounts/trouble.ts';
import type { NewUser } from '../../service/create-user.ts';
import type { UserProfile } from '../../service/service-user.ts';
import type { UserAttributes } from '../../service/user-attributes.ts';

/** What creating may be sent for. */
export type Foreseen = Provisioning & { readonly kind: 'new' | 'link' | 'reactivate' };

/** One change of the service's accounts. */
export type Change =
  | { readonly kind: 'create'; readonly user: NewUser; readonly foreseen: Foreseen }
  | {
      readonly kind: 'update' | 'deactivate' | 'activate';
      readonly account: UserProfile;
      readonly values: Partial<UserAttributes>;
    }
  | { readonly kind: 'delete'; readonly account: UserProfile };

export type Result =
  | {
      readonly kind: 'done';
      /** As the service shows it afterwards; null: it does not. */
      readonly account: UserProfile | null;
    }
  | { readonly kind: 'refused'; readonly trouble: Trouble }
  /** Sent, and nothing tells whether it took effect. */
  | { readonly kind: 'unknown' };

/** What a change sets. */
export function wantedOf(change: Change): Partial<UserAttributes> {
  switch (change.kind) {
    case 'create': {
      const { userName: _, ...attributes } = change.user;
      return attributes;
    }
    case 'delete':
      return { active: false };
    default:
      return change.values;
  }
}

/** The same, with what goes without saying: whoever is created has access, unless it says otherwise. */
export function expectedOf(change: Change): Partial<UserAttributes> {
  return { ...(change.kind === 'create' && { active: true }), ...wantedOf(change) };
}

/** The account that is there already; null: it is to be a new one. */
export function accountBefore(change: Change): UserProfile | null {
  if (change.kind !== 'create') return change.account;
  return change.foreseen.kind === 'new' ? null : change.foreseen.account;
}
