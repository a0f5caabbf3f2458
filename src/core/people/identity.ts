import type { IdentityRule } from '../config/config.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { LinkConflict } from './link-conflict.ts';

/** A Slack user's identity in the service. */
export type Identity =
  /** `userId` null: none is sent. */
  | { readonly kind: 'linked'; readonly userId: string | null; readonly active: true }
  | { readonly kind: 'inactive' }
  /** Found, but the service does not say whether the account is active. */
  | { readonly kind: 'unknown-activity' }
  /** No account has their address. */
  | { readonly kind: 'none' }
  /** The same, but the service may not have shown all accounts: theirs may be deactivated. */
  | { readonly kind: 'not-shown' }
  /** Slack shows no address that counts: no account was looked up. */
  | { readonly kind: 'no-address' }
  /** Found, but without the external id that has to be sent. */
  | { readonly kind: 'no-external-id' }
  | { readonly kind: 'several' }
  /** No override, and no list of accounts to search. */
  | { readonly kind: 'no-directory' }
  | LinkConflict;

/** What is sent as `userId` (Interface 4.4). */
export type SentId = 'id' | 'externalId' | 'none';

/** The identity from a matching account, if there is no conflict with a link. */
export function identityOf(match: UserMatch, sent: SentId): Identity {
  if (isPartial(match)) return { kind: 'not-shown' };
  if (match.kind !== 'found') return { kind: match.kind };
  const { id, externalId, active } = match.user;
  if (active === null) return { kind: 'unknown-activity' };
  if (!active) return { kind: 'inactive' };
  if (sent === 'none') return { kind: 'linked', userId: null, active };
  const userId = sent === 'id' ? id : externalId;
  return userId === null ? { kind: 'no-external-id' } : { kind: 'linked', userId, active };
}

/** Not found, in a list that may not be whole. */
export function isPartial(match: UserMatch): boolean {
  return match.kind === 'none' && match.isPartial === true;
}

/**
 * The identity from an override. The list may contain only synchronized accounts, and may not say which are active:
 * then the configuration decides.
 */
export function overriddenIdentity(userId: string, match: UserMatch): Identity {
  const isDeactivated = match.kind === 'found' && match.user.active === false;
  return isDeactivated ? { kind: 'inactive' } : { kind: 'linked', userId, active: true };
}

/** Why somebody's account does not allow them to act. */
export type AccountDenial =
  | 'inactive'
  | 'activity-unknown'
  | 'several-accounts'
  | 'account-changed'
  | 'account-lost'
  | 'account-taken'
  | 'not-linked'
  | 'account-not-shown'
  | 'no-address'
  | 'no-external-id'
  | 'no-directory';

/** Why an identity is not enough to act in the service; null: it is. */
export function accountDenial({ kind }: Identity, rule: IdentityRule): AccountDenial | null {
  const denial = DENIALS[kind];
  return rule === 'omit' && denial !== null && UNKNOWN.has(denial) ? null : denial;
}

const DENIALS = {
  linked: null,
  inactive: 'inactive',
  'unknown-activity': 'activity-unknown',
  several: 'several-accounts',
  changed: 'account-changed',
  lost: 'account-lost',
  taken: 'account-taken',
  none: 'not-linked',
  'not-shown': 'account-not-shown',
  'no-address': 'no-address',
  'no-external-id': 'no-external-id',
  'no-directory': 'no-directory',
} satisfies Record<Identity['kind'], AccountDenial | null>;

/** These people are merely unknown to the service. */
const UNKNOWN: ReadonlySet<AccountDenial> = new Set([
  'not-linked',
  'no-address',
  'no-external-id',
  'no-directory',
]);
