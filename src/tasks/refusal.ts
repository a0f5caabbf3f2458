import { ACCOUNT_REFUSALS, type DenialWithAccount } from '../people/permission.ts';

/** Why a person may not move an item. */
export type MoveRefusal =
  | DenialWithAccount
  | 'not-from'
  | 'not-between'
  | 'source-project'
  | 'source-unknown'
  | 'target-project';

const ASK = 'Ask an administrator of Gatepost.';

/** What the person reads: what holds, and what they can do. What was moved is said in between. */
export const REFUSALS = {
  ...ACCOUNT_REFUSALS,
  'not-named': ['You are not among the people who may move work items.', ASK],
  'not-from': ['You are not among the people who may move work items of this project.', ASK],
  'not-between': [
    'You are not among the people who may move work items from this project to that one.',
    ASK,
  ],
  bot: ['Apps cannot move work items.', ''],
  deactivated: ['This Slack account is deactivated.', ''],
  guest: ['Guests cannot move work items.', 'Ask a member of your team.'],
  stranger: ['People of other companies cannot move work items.', 'Ask a member of the team.'],
  'other-company': ['Your Slack workspace is not allowed to move work items.', ASK],
  'source-project': ['Work items of this project may not be moved from Slack.', ASK],
  'source-unknown': [
    'Only items of certain projects may be moved from Slack, and it is not known which project this one is in.',
    'Move it in the service.',
  ],
  'target-project': ['Work items may not be moved to that project from Slack.', ASK],
} as const satisfies Record<MoveRefusal, readonly [what: string, next: string]>;

/** What the audit log calls it. */
export const REFUSED = 'tasks.move.refused';
