import type { Denial } from '../../people/permission.ts';

/** Why a person may not look after accounts: what holds, and what they can do. */
export const REFUSALS = {
  'not-named': 'Only administrators of Gatepost look after accounts here. Ask one of them.',
  bot: 'Apps cannot look after accounts.',
  deactivated: 'This Slack account is deactivated.',
  guest: 'Guests cannot look after accounts. Ask an administrator of Gatepost.',
  stranger: 'People of other companies cannot look after accounts.',
  'other-company':
    'Your Slack workspace is not allowed to look after accounts. Ask an administrator of Gatepost.',
} as const satisfies Record<Denial, string>;

/** What the audit log calls it. */
export const REFUSED = 'people.refused';
