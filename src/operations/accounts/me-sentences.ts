import { yourAccount } from '../../core/people/denials.ts';
import type { Identity } from '../../core/people/identity.ts';
import { code } from '../../core/slack/text.ts';

/** The state of a person's own account. */
export type MyState =
  | Exclude<Identity['kind'], 'none'>
  | 'no-account'
  | 'address-not-confirmed'
  /** Slack does not show the person to Gatepost. */
  | 'hidden'
  | 'slack-silent'
  | 'service-silent';

/** For a person about themselves: the state, and what they can do. mrkdwn. */
export const MINE = {
  linked: ['Gatepost found your account in the service. It is active.', ''],
  inactive: [
    `${yourAccount('inactive')}, so you cannot decide.`,
    'A Gatepost administrator can re-activate it.',
  ],
  'unknown-activity': [
    `${yourAccount('activity-unknown')}, so you cannot decide.`,
    'A Gatepost administrator has to check it.',
  ],
  'no-account': [
    'No synchronized account in the service has your e-mail address, so you cannot decide where an account is needed.',
    'Gatepost does not see accounts that exist only in the service. An administrator can synchronize yours, give it your address, or link you in the configuration.',
  ],
  'not-shown': [
    `${yourAccount('account-not-shown')}, so you cannot decide.`,
    'An administrator can link you in the configuration.',
  ],
  'no-address': [
    'Slack does not show Gatepost a confirmed e-mail address for you, so it could not look for your account. You cannot decide where one is needed.',
    'An administrator can let Gatepost see addresses, or link you in the configuration.',
  ],
  'address-not-confirmed': [
    'Your e-mail address is not confirmed in Slack, so Gatepost did not look for your account. You cannot decide where one is needed.',
    'Confirm it in your Slack account settings, then type `/people me` again. If you sign in to Slack with single sign-on, tell an administrator.',
  ],
  'no-external-id': [
    'Gatepost found your account in the service, but it has no external id, by which the service is told who decides. You cannot decide where an account is needed.',
    'An administrator can add one, or link you in the configuration.',
  ],
  several: [
    'Several accounts in the service have your e-mail address, so Gatepost cannot tell which one is yours. You cannot decide.',
    'An administrator can keep one of them, or link you in the configuration.',
  ],
  changed: [
    `${yourAccount('account-changed')}, so you cannot decide.`,
    'An administrator has to confirm the new account.',
  ],
  lost: [
    `${yourAccount('account-lost')}, so you cannot decide.`,
    'An administrator can give your account that address.',
  ],
  taken: [
    `${yourAccount('account-taken')}, so you cannot decide.`,
    'An administrator has to confirm whose it is.',
  ],
  'no-directory': [
    'Gatepost has no access to the accounts of the service, so it could not look for yours. You cannot decide where one is needed.',
    'An administrator can set up access (SCIM), or link you in the configuration.',
  ],
  hidden: [
    'Slack does not show Gatepost your profile, so it could not look for your account. You cannot decide.',
    'Ask a member of this workspace.',
  ],
  'slack-silent': [
    'Slack did not tell Gatepost who you are, so it could not look for your account.',
    'Type `/people me` again in a minute.',
  ],
  'service-silent': [
    'Gatepost could not read the accounts of the service, so it is not known whether yours is there.',
    'Type `/people me` again in a minute. If it keeps happening, tell an administrator.',
  ],
} as const satisfies Record<MyState, readonly [state: string, next: string]>;

/** Linked by the configuration. */
export const OVERRIDDEN =
  'The configuration links you with an account in the service. Your decisions are sent with it.';

/** Blocked by a link: `conflictAlert` tells administrators. */
type Conflicting = 'changed' | 'lost' | 'taken';

/** Facts for administrators about somebody who asks for help. */
interface AskFacts {
  /** Slack user id. */
  readonly user: string;
  /** The account's id; null: none was found. */
  readonly account: string | null;
  /** As shown by Slack; null: not shown. */
  readonly address: string | null;
}

/** The problem, and a ready-made remedy. */
interface AskWords {
  readonly text: string;
  /** Opens the same as `/people` with these words. */
  readonly button?: { readonly label: string; readonly words: string };
}

export type Ask = (facts: AskFacts) => AskWords;

/** For administrators, when somebody asks for help; mrkdwn; null: they cannot help. */
export const ASKS = {
  linked: null,
  hidden: null,
  inactive: (facts) => ({
    text: `Their account ${named(facts)} is deactivated. If they should decide, re-activate it with ${command('activate', facts)} or the button.`,
    button: openButton(facts),
  }),
  'unknown-activity': (facts) => ({
    text: `The service does not say whether their account ${named(facts)} is active. Check it in the service.`,
    button: openButton(facts),
  }),
  'no-account': (facts) => ({
    text: `No synchronized account in the service has their address in Slack, ${address(facts)}. Accounts that were not synchronized (SCIM) are not listed. Create one with ${command('create', facts)} or the button, synchronize theirs with this address, or ${link(facts)}.`,
    ...(facts.address !== null && {
      button: { label: 'Create account', words: `create ${facts.address}` },
    }),
  }),
  'not-shown': (facts) => ({
    text: `The service does not show their account, but may have more accounts than it shows. Check its list of users (SCIM), or ${link(facts)}.`,
  }),
  'no-address': (facts) => ({
    text: `Slack does not show Gatepost a confirmed e-mail address for them. Check that \`users:read.email\` was granted, or ${link(facts)}.`,
  }),
  'address-not-confirmed': (facts) => ({
    text: `Their e-mail address ${address(facts)} is not confirmed in Slack. They can confirm it in their account settings. Where single sign-on owns the addresses, \`identity.emails: any\` lets unconfirmed ones of full members count. Or ${link(facts)}.`,
  }),
  'no-external-id': (facts) => ({
    text: `Their account ${named(facts)} has no external id, and \`identity.userId\` requires one. Add it with ${command('edit', facts)} or the button, or ${link(facts)}.`,
    button: openButton(facts),
  }),
  several: (facts) => ({
    text: `Several accounts in the service have their address, ${address(facts)}. See them with ${command('find', facts)} or the button and keep one, or ${link(facts)}.`,
    ...(facts.address !== null && {
      button: { label: 'Find accounts', words: `find ${facts.address}` },
    }),
  }),
  'no-directory': (facts) => ({
    text: `Gatepost has no token for the accounts of the service. Set \`SCIM_TOKEN\`, or ${link(facts)}.`,
  }),
  'slack-silent': () => ({
    text: 'Slack did not tell Gatepost who they are. If it keeps happening, search the log for users.info.',
  }),
  'service-silent': () => ({
    text: "Gatepost could not read the accounts of the service. Check `SCIM_TOKEN`, and that the service's user list (SCIM) is switched on and licensed.",
  }),
} as const satisfies Record<Exclude<MyState, Conflicting>, Ask | null>;

function named({ account, address: known }: AskFacts): string {
  const id = code(account ?? '');
  return known === null ? id : `${code(known)} (id ${id})`;
}

function address({ address: known }: AskFacts): string {
  return known === null ? 'which Gatepost does not see' : code(known);
}

function command(verb: string, { address: known, account }: AskFacts): string {
  return code(`/people ${verb} ${known ?? account ?? ''}`);
}

function openButton({ account }: AskFacts) {
  return { label: 'Open account', words: `open ${account ?? ''}` };
}

function link({ user }: AskFacts): string {
  return `link them in gatepost.yaml with \`identity: { overrides: { ${user}: &lt;id of the account&gt; } }\``;
}

export const TOLD = 'The Gatepost administrators have been told who you are and what was found.';
export const NOBODY_TO_TELL =
  "Gatepost's configuration names no administrator. Show this to the person who runs Gatepost.";
