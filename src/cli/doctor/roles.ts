import { ROWS, type Role } from '../../app/features.ts';
import { decidersOf } from '../../approvals/electorate/deciders.ts';
import type { Config } from '../../core/config/config.ts';
import { ACCOUNT_STATES, MEMBERSHIPS, THEIRS } from '../../core/people/denials.ts';
import type { AccountDenial } from '../../core/people/identity.ts';
import type { Membership } from '../../core/people/membership.ts';

/** What the configuration names people for, reviewers first. */
export function rolesIn(config: Config): readonly Role[] {
  return ROWS.flatMap((row) => row.rolesIn?.(config, decidersOf) ?? []);
}

/** Why somebody cannot do what they are named for. */
export type Bar = Exclude<Membership, 'member'> | AccountDenial;

/** “decide (production, staging) or move work items”. */
export function cannot(roles: readonly Role[]): string {
  const deeds = [...new Set(roles.map(({ does }) => does))].map((does) => {
    const places = roles.flatMap((role) => (role.does === does ? (role.on ?? []) : []));
    return places.length === 0 ? does : `${does} (${places.join(', ')})`;
  });
  return deeds.join(' or ');
}

const ANY = { ...THEIRS, account: 'the account', address: 'this address' };

/** For one person or several. */
export const BARS = {
  bot: [MEMBERSHIPS.bot.is, 'Name a person instead.'],
  deactivated: [
    MEMBERSHIPS.deactivated.is,
    'Remove them from the configuration, or from the user group.',
  ],
  'other-team': [
    MEMBERSHIPS['other-team'].is,
    'Name somebody else, or add their workspace to teams if its people can decide.',
  ],
  stranger: [MEMBERSHIPS.stranger.is, 'Guests can decide only on routes with guests: true.'],
  guest: [MEMBERSHIPS.guest.is, 'Guests can decide only on routes with guests: true.'],
  inactive: [
    ACCOUNT_STATES.inactive(ANY),
    'Re-activate it with /people activate, or name somebody else.',
  ],
  'activity-unknown': [
    ACCOUNT_STATES['activity-unknown'](ANY),
    'Check the account in the service, or link them in identity.overrides.',
  ],
  'several-accounts': [
    ACCOUNT_STATES['several-accounts'](ANY),
    'Keep one of the accounts, or link them in identity.overrides.',
  ],
  'account-changed': [
    'linked with an account, and this address leads to another one',
    'Ask them whose account it is. If it is theirs, link them in identity.overrides.',
  ],
  'account-lost': [
    'linked with an account, but no synchronized account has this address',
    'Give the account this address, or link them in identity.overrides.',
  ],
  'account-taken': [
    ACCOUNT_STATES['account-taken'](ANY),
    'Ask both whose account it is, then link its owner in identity.overrides.',
  ],
  'not-linked': [
    ACCOUNT_STATES['not-linked'](ANY),
    'Synchronize the account, give it this address, or link them in identity.overrides.',
  ],
  'no-address': [
    'Slack shows no confirmed address',
    'Have the address confirmed in Slack, check the scope users:read.email, or link them in identity.overrides. If single sign-on owns the addresses, set identity.emails: any.',
  ],
  'no-external-id': [
    'the account has no external id, and identity.userId requires one',
    'Add one, or link them in identity.overrides.',
  ],
  'no-directory': [
    'SCIM_TOKEN is not set, so no account can be looked for',
    'Set SCIM_TOKEN, or link them in identity.overrides.',
  ],
} as const satisfies Record<Bar, readonly [why: string, fix: string]>;
