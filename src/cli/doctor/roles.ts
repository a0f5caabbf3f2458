import { ROWS, type Role } from '../../app/features.ts';
import type { Config } from '../../core/config/config.ts';
import type { AccountDenial } from '../../core/people/identity.ts';
import type { Membership } from '../../core/people/membership.ts';

/** What the configuration names people for, reviewers first. */
export function rolesIn(config: Config): readonly Role[] {
  return ROWS.flatMap((row) => row.rolesIn?.(config) ?? []);
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

/** For one person or several. */
export const BARS = {
  bot: ['a bot', 'Name a person instead.'],
  deactivated: [
    'deactivated in Slack',
    'Remove them from the configuration, or from the user group.',
  ],
  'other-team': [
    'from another workspace',
    'Name somebody else, or add their workspace to teams if its people can decide.',
  ],
  stranger: ['from another company', 'Guests can decide only on routes with guests: true.'],
  guest: ['a guest in Slack', 'Guests can decide only on routes with guests: true.'],
  inactive: [
    'the account in the service is deactivated',
    'Re-activate it with /people activate, or name somebody else.',
  ],
  'activity-unknown': [
    'the service does not say whether the account is active',
    'Check the account in the service, or link them in identity.overrides.',
  ],
  'several-accounts': [
    'several accounts in the service have this address',
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
    'the account with this address is linked with somebody else',
    'Ask both whose account it is, then link its owner in identity.overrides.',
  ],
  'not-linked': [
    'no synchronized account in the service has this address',
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
