import type { AccountDenial } from './identity.ts';
import type { Membership } from './membership.ts';

/** Why people cannot act: what every sentence about it is made of. */

type NoMember = Exclude<Membership, 'member'>;

/** Why a restricted action is denied. */
export type Denial = 'not-named' | Exclude<NoMember, 'other-team'> | 'other-company';

interface MembershipFacts {
  readonly denial: Denial;
  /** For a sentence about the person. */
  readonly is: string;
  readonly one: string;
  readonly several: string;
  /** For the person, without its full stop. `deed`: “move work items”. */
  readonly cannot: (deed: string) => string;
}

export const MEMBERSHIPS = {
  bot: {
    denial: 'bot',
    is: 'a bot',
    one: 'app',
    several: 'apps',
    cannot: (deed) => `Apps cannot ${deed}`,
  },
  deactivated: {
    denial: 'deactivated',
    is: 'deactivated in Slack',
    one: 'deactivated account',
    several: 'deactivated accounts',
    cannot: () => 'This Slack account is deactivated',
  },
  guest: {
    denial: 'guest',
    is: 'a guest in Slack',
    one: 'guest',
    several: 'guests',
    cannot: (deed) => `Guests cannot ${deed}`,
  },
  stranger: {
    denial: 'stranger',
    is: 'from another company',
    one: 'person from outside',
    several: 'people from outside',
    cannot: (deed) => `People from other companies cannot ${deed}`,
  },
  'other-team': {
    denial: 'other-company',
    is: 'from another workspace',
    one: 'person from another workspace',
    several: 'people from another workspace',
    cannot: (deed) => `Members of your Slack workspace cannot ${deed}`,
  },
} as const satisfies Record<NoMember, MembershipFacts>;

/** Whose account, as a sentence calls it. */
interface Whose {
  readonly account: string;
  readonly address: string;
  readonly person: string;
  readonly are: string;
  readonly were: string;
}

const YOURS: Whose = {
  account: 'your account',
  address: 'the e-mail address of your Slack profile',
  person: 'you',
  are: 'you are',
  were: 'you were',
};

export const THEIRS: Whose = {
  account: 'their account',
  address: 'their address',
  person: 'them',
  are: 'they are',
  were: 'they were',
};

/** In the middle of a sentence. */
export const ACCOUNT_STATES = {
  inactive: ({ account }) => `${account} in the service is deactivated`,
  'activity-unknown': ({ account }) => `the service does not say whether ${account} is active`,
  'not-linked': ({ address }) => `no synchronized account in the service has ${address}`,
  'account-not-shown': ({ account }) =>
    `the service does not show ${account}, but may have more accounts than it shows`,
  'no-address': ({ person }) => `Slack shows Gatepost no confirmed address for ${person}`,
  'no-external-id': ({ account }) => `${account} in the service has no external id`,
  'several-accounts': ({ address }) => `several accounts in the service have ${address}`,
  'account-changed': ({ address, are }) =>
    `${address} belongs to a different account in the service than the one ${are} linked with`,
  'account-lost': ({ address, were }) =>
    `${were} linked with an account in the service, but no synchronized account has ${address} now`,
  'account-taken': ({ address }) =>
    `the account in the service with ${address} is linked with somebody else`,
  'no-directory': () => 'Gatepost cannot look up accounts in the service',
} satisfies Record<AccountDenial, (whose: Whose) => string>;

/** For the person: the start of a sentence. */
export function yourAccount(code: AccountDenial): string {
  const [first = '', ...rest] = ACCOUNT_STATES[code](YOURS);
  return `${first.toUpperCase()}${rest.join('')}`;
}

const ME = 'Type `/people me` for details and to tell an administrator.';

/** What the person can do. */
export const ACCOUNT_ADVICE = {
  inactive: ME,
  'activity-unknown': ME,
  'not-linked': ME,
  'account-not-shown': ME,
  'no-address': ME,
  'no-external-id': ME,
  'several-accounts': ME,
  'account-changed': `A Gatepost administrator must confirm the new one. ${ME}`,
  'account-lost': ME,
  'account-taken': `A Gatepost administrator must confirm whose it is. ${ME}`,
  'no-directory': 'Ask a Gatepost administrator to link you in the configuration.',
} satisfies Record<AccountDenial, string>;

/** One text for each. */
export function ofAccounts<Text>(text: (code: AccountDenial) => Text): Record<AccountDenial, Text> {
  // as: the keys of a record of all codes
  const codes = Object.keys(ACCOUNT_ADVICE) as AccountDenial[];
  return Object.fromEntries(codes.map((code) => [code, text(code)])) as Record<AccountDenial, Text>;
}

export const NOT_LOOKED_FOR = `${yourAccount('no-address')}, so Gatepost did not look for your account in the service`;

const ASK = 'Ask a Gatepost administrator.';

/** Why the person cannot do it, and what they can do. */
export function refusalsTo(deed: string) {
  const { bot, deactivated, guest, stranger, 'other-team': other } = MEMBERSHIPS;
  return {
    ...ofAccounts((code) => [`${yourAccount(code)}.`, ACCOUNT_ADVICE[code]] as const),
    'no-address': [`${NOT_LOOKED_FOR}.`, ACCOUNT_ADVICE['no-address']],
    'not-named': [`You are not on the list of people who can ${deed}.`, ASK],
    bot: [`${bot.cannot(deed)}.`, ''],
    deactivated: [`${deactivated.cannot()}.`, ''],
    guest: [`${guest.cannot(deed)}.`, 'Ask a member of your team.'],
    stranger: [`${stranger.cannot(deed)}.`, 'Ask a member of the team.'],
    'other-company': [`${other.cannot(deed)}.`, ASK],
  } satisfies Record<Denial | AccountDenial, readonly [what: string, next: string]>;
}
