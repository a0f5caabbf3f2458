import type { IdentityRule } from '../config/config.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { LinkConflict } from './link-conflict.ts';

/** Who a Slack person is in the service. */
export type Identity =
  /** `userId` null: none is to be sent. */
  | { readonly kind: 'linked'; readonly userId: string | null; readonly active: true }
  | { readonly kind: 'inactive' }
  /** Found, and the service does not say whether the account is active. */
  | { readonly kind: 'unknown-activity' }
  /** No account has their address. */
  | { readonly kind: 'none' }
  /** Slack shows no address that counts: nothing was looked for. */
  | { readonly kind: 'no-address' }
  /** Found, without the external id by which the account is to be named to the service. */
  | { readonly kind: 'no-external-id' }
  | { readonly kind: 'several' }
  /** No override, and no way to look anybody up. */
  | { readonly kind: 'no-directory' }
  | LinkConflict;

/** What the service takes as `userId` (Interface 4.4). */
export type SentId = 'id' | 'externalId' | 'none';

/** What a match makes of a person with whose link it agrees. */
export function identityOf(match: UserMatch, sent: SentId): Identity {
  if (match.kind !== 'found') return { kind: match.kind };
  const { id, externalId, active } = match.user;
  if (active === null) return { kind: 'unknown-activity' };
  if (!active) return { kind: 'inactive' };
  if (sent === 'none') return { kind: 'linked', userId: null, active };
  const userId = sent === 'id' ? id : externalId;
  return userId === null ? { kind: 'no-external-id' } : { kind: 'linked', userId, active };
}

/**
 * What the account makes of a person whom the configuration links with it. The list may show
 * synchronized accounts only, and need not say which are active: then it is the administrator's word.
 */
export function overriddenIdentity(userId: string, match: UserMatch): Identity {
  const isDeactivated = match.kind === 'found' && match.user.active === false;
  return isDeactivated ? { kind: 'inactive' } : { kind: 'linked', userId, active: true };
}

/** Why somebody's account does not let them act. */
export type AccountDenial =
  | 'inactive'
  | 'activity-unknown'
  | 'several-accounts'
  | 'account-changed'
  | 'account-lost'
  | 'account-taken'
  | 'not-linked'
  | 'no-address'
  | 'no-external-id'
  | 'no-directory';

/** What stands between an identity and acting in the service; null: nothing. */
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
  'no-address': 'no-address',
  'no-external-id': 'no-external-id',
  'no-directory': 'no-directory',
} satisfies Record<Identity['kind'], AccountDenial | null>;

/** Nothing speaks against these people: they are only not known to the service. */
const UNKNOWN: ReadonlySet<AccountDenial> = new Set([
  'not-linked',
  'no-address',
  'no-external-id',
  'no-directory',
]);
