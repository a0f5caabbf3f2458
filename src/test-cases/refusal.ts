import { ACCOUNT_REFUSALS, type DenialWithAccount } from '../people/permission.ts';

const ASK = 'Ask an administrator of Gatepost.';

/** Why a person may not create a test case: what holds, and what they can do. */
export const REFUSALS = {
  ...ACCOUNT_REFUSALS,
  'not-named': ['You are not among the people who may create test cases.', ASK],
  bot: ['Apps cannot create test cases.', ''],
  deactivated: ['This Slack account is deactivated.', ''],
  guest: ['Guests cannot create test cases.', 'Ask a member of your team.'],
  stranger: ['People of other companies cannot create test cases.', 'Ask a member of the team.'],
  'other-company': ['Your Slack workspace is not allowed to create test cases.', ASK],
} as const satisfies Record<DenialWithAccount, readonly [what: string, next: string]>;

/** What the audit log calls it. */
export const REFUSED = 'test-cases.refused';

export function refusalSentence(code: DenialWithAccount): string {
  const [what, next] = REFUSALS[code];
  return [what, next].filter((each) => each !== '').join(' ');
}
