import type { Identity } from '../people/identity.ts';

/** How it stands with a person's account. */
export type MyState =
  | Exclude<Identity['kind'], 'none'>
  | 'no-account'
  | 'no-address'
  | 'address-not-confirmed'
  /** Slack does not show the person to Gatepost. */
  | 'hidden'
  | 'slack-silent'
  | 'service-silent';

/** What a person reads of themselves: what holds, and what they can do. In mrkdwn. */
export const MINE = {
  linked: ['Your account in the service was found and is active.', ''],
  inactive: [
    'Your account in the service is deactivated, so you cannot decide.',
    'An administrator of the service can activate it again.',
  ],
  'unknown-activity': [
    'The service does not say whether your account is active, so you cannot decide.',
    'An administrator has to look at it.',
  ],
  'no-account': [
    'No synchronized account in the service has your e-mail address, so you cannot decide where an account is needed.',
    'Accounts that are kept in the service alone are not seen. An administrator can synchronize yours, give it that address, or link you in the configuration.',
  ],
  'no-address': [
    'Slack does not show Gatepost a confirmed e-mail address of yours, so no account was looked for. You cannot decide where one is needed.',
    'An administrator can let Gatepost see addresses, or link you in the configuration.',
  ],
  'address-not-confirmed': [
    'Your e-mail address is not confirmed in Slack, so it was not looked for, and you cannot decide.',
    'Confirm it in your Slack account settings, then look here again.',
  ],
  'no-external-id': [
    'Your account in the service was found, and it lacks the id by which Gatepost names people to it. You cannot decide where an account is needed.',
    'An administrator can give it one, or link you in the configuration.',
  ],
  several: [
    'Several accounts in the service have your e-mail address, so nobody can tell which is yours, and you cannot decide.',
    'An administrator can leave one of them, or link you in the configuration.',
  ],
  changed: [
    'Your e-mail address leads to another account in the service than the one you are linked with, so you cannot decide.',
    'An administrator has to confirm the new account.',
  ],
  lost: [
    'You are linked with an account in the service, and none there has your confirmed e-mail address any more, so you cannot decide.',
    'An administrator can give your account that address.',
  ],
  taken: [
    'The account in the service with your e-mail address is linked with somebody else, so you cannot decide.',
    'An administrator has to confirm whose it is.',
  ],
  'no-directory': [
    'Gatepost has no access to the accounts of the service, so none was looked for. You cannot decide where one is needed.',
    'An administrator can set it up (SCIM), or link you in the configuration.',
  ],
  hidden: [
    'Slack does not show Gatepost your profile, so no account was looked for, and you cannot decide.',
    'Ask somebody of this workspace.',
  ],
  'slack-silent': [
    'Slack did not tell Gatepost who you are, so no account was looked for.',
    'Look here again in a minute.',
  ],
  'service-silent': [
    'The accounts of the service could not be read just now, so it is not known whether yours is there.',
    'Look here again in a minute. If it stays like this, tell an administrator.',
  ],
} as const satisfies Record<MyState, readonly [state: string, next: string]>;

/** Linked, by the configuration. */
export const OVERRIDDEN =
  'The configuration links you with an account in the service: your decisions are sent with it.';

/** A link is in the way: administrators are told of those by `conflictAlert`. */
type Conflicting = 'changed' | 'lost' | 'taken';

/** What administrators read of somebody who asks them; null: there is nothing that they could do. */
export const ASKS = {
  linked: null,
  hidden: null,
  inactive: (account) =>
    `Their account ${account} in the service is deactivated. Activate it again if they are to decide.`,
  'unknown-activity': (account) =>
    `The service does not say whether their account ${account} is active. Look at it in the service.`,
  'no-account': () =>
    'No synchronized account in the service has the e-mail address that Slack confirms for them. Accounts that were not synchronized (SCIM) are not listed: synchronize theirs with that address, create one, or link them in `identity.overrides`.',
  'no-address': () =>
    'Slack does not show Gatepost a confirmed e-mail address of theirs. Check that it was granted `users:read.email`, or link them in `identity.overrides`.',
  'address-not-confirmed': () =>
    'Their e-mail address is not confirmed in Slack. They can do that in their account settings; or link them in `identity.overrides`.',
  'no-external-id': (account) =>
    `Their account ${account} in the service has no external id, and \`identity.userId\` asks for one. Give it one, or link them in \`identity.overrides\`.`,
  several: () =>
    'Several accounts in the service have their e-mail address. Leave one of them, or link them in `identity.overrides`.',
  'no-directory': () =>
    'Gatepost has no token for the accounts of the service. Set `SCIM_TOKEN`, or link them in `identity.overrides`.',
  'slack-silent': () =>
    'Slack did not tell Gatepost who they are. If it stays like this, search the log for users.info.',
  'service-silent': () =>
    "The accounts of the service could not be read. Check `SCIM_TOKEN`, and that the service's user list (SCIM) is switched on and licensed.",
} as const satisfies Record<Exclude<MyState, Conflicting>, ((account: string) => string) | null>;

export const TOLD = 'The administrators of Gatepost have been told who you are and what was found.';
export const NOBODY_TO_TELL =
  "Gatepost's configuration names no administrator. Show this to whoever runs Gatepost.";
