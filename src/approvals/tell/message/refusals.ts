import {
  ACCOUNT_ADVICE,
  MEMBERSHIPS,
  NOT_LOOKED_FOR,
  ofAccounts,
  yourAccount,
} from '../../../core/people/denials.ts';
import { joinSentences } from '../../../core/slack/text.ts';
import type { Approval } from '../../approval.ts';
import type { ChangeCode } from '../../decision/statement.ts';
import type { RefusalCode } from '../../electorate/authorization.ts';
import { electorateOf } from '../../electorate/electorate.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import {
  ADVICE as FEATURE_ADVICE,
  CHANGES as FEATURE_CHANGES,
  REFUSALS as FEATURE_REFUSALS,
} from './feature-words.ts';
import { REQUEST, reviewersText } from './sentences.ts';

const { bot, deactivated, guest, stranger, 'other-team': other } = MEMBERSHIPS;
const DECIDE = `decide ${REQUEST}`;

/** Why a press did not count, for the person who pressed. `ADVICE` says what they can do. */
const REFUSALS = {
  ...FEATURE_REFUSALS,
  'no-route': `Nobody can decide ${REQUEST}: its route is not configured.`,
  'reason-missing': `${REQUEST} needs a reason, so your decision does not count.`,
  'not-a-reviewer': `You are not a reviewer of ${REQUEST}, so your decision does not count.`,
  'reviewer-no-more': `You were named to decide ${REQUEST}, but you do not review its route, so your decision does not count.`,
  'group-missing': `Gatepost could not check whether you are a reviewer of ${REQUEST}, because one of its user groups was deleted or disabled in Slack. Your decision does not count.`,
  'no-user-groups': `Gatepost could not check whether you are a reviewer of ${REQUEST}: its reviewers are a user group, and this workspace's Slack plan has no user groups. Your decision does not count.`,
  requester: `You asked for ${REQUEST}, so somebody else has to decide. Your decision does not count.`,
  'requester-unknown': `Gatepost could not check whether you asked for ${REQUEST} yourself, because Slack shows Gatepost no confirmed address for you. Your decision does not count.`,
  'requester-not-known': `It is not known who asked for ${REQUEST}, which its route requires. Your decision does not count.`,
  'requester-not-verified': `It is not proved who asked for ${REQUEST}, which its route requires. Your decision does not count.`,
  ...ofAccounts((code) => `${yourAccount(code)}, so your decision on ${REQUEST} does not count.`),
  'no-address': `${NOT_LOOKED_FOR}, and your decision on ${REQUEST} does not count.`,
  bot: `${bot.cannot(DECIDE)}, so its decision does not count.`,
  deactivated: `${deactivated.cannot()}, so its decision on ${REQUEST} does not count.`,
  guest: `${guest.cannot(DECIDE)}, so your decision does not count.`,
  stranger: `${stranger.cannot(DECIDE)}, so your decision does not count.`,
  'other-company': `${other.cannot(DECIDE)}, so your decision does not count.`,
} satisfies Record<RefusalCode, string>;

const ADVICE: Partial<Record<RefusalCode, string>> = {
  ...FEATURE_ADVICE,
  ...ACCOUNT_ADVICE,
  'no-route': 'Ask a Gatepost administrator.',
  'reason-missing': 'Press again and give one.',
  'reviewer-no-more': 'Ask a Gatepost administrator, or request the approval again.',
  'group-missing': 'Ask a Gatepost administrator, or one of the reviewers named in the message.',
  'no-user-groups': 'Ask a Gatepost administrator.',
  'requester-unknown':
    'Ask another reviewer to decide. A Gatepost administrator can give it access to e-mail addresses or, where single sign-on owns them, set `identity.emails: any`.',
  'requester-not-verified': 'Have a new run of the pipeline ask for it.',
  'requester-not-known': 'Have it asked for again in the name of whoever started it.',
  guest: 'Ask one of the reviewers named in the message.',
  stranger: 'Ask one of the reviewers named in the message.',
  'other-company': 'Ask one of the reviewers named in the message.',
};

/** Includes who can decide now: the message may be older than the configuration. */
export function refusalSentence(code: RefusalCode, approval: Approval, terms: RouteTerms): string {
  const [first = '', ...rest] = reviewersText(electorateOf(approval, terms));
  const next =
    code === 'not-a-reviewer' ? `${first.toUpperCase()}${rest.join('')}.` : (ADVICE[code] ?? '');
  return joinSentences(REFUSALS[code], next);
}

/** The reason only, for a past press. undefined: another version's code. */
export function refusedBecause(code: string): string | undefined {
  const known: Readonly<Record<string, string>> = REFUSALS;
  return known[code];
}

/** Why somebody can no longer decide: the middle of a sentence. */
export const CHANGES = {
  ...FEATURE_CHANGES,
  'no-route': 'its route is no longer configured',
  'reason-missing': 'a reason is now required',
  'not-a-reviewer':
    "the reviewers of this request were changed in Gatepost's configuration, and you are no longer one of them",
  'reviewer-no-more':
    "the reviewers of its route were changed in Gatepost's configuration, and you are no longer one of them",
  'group-missing':
    'a user group of its reviewers was deleted or disabled in Slack, so Gatepost could not check whether you are one of them',
  'no-user-groups':
    "this workspace's Slack plan has no user groups, so Gatepost could not check whether you are one of its reviewers",
  requester: 'it turned out that you asked for it, so somebody else has to decide',
  'requester-unknown':
    'Slack no longer shows Gatepost a confirmed address for you, so Gatepost could not check whether you asked for it yourself',
  'requester-not-known': 'its route now requires that it is known who asked, and it is not',
  'requester-not-verified': 'its route now requires proof of who asked, and there is none',
  bot: "your Slack account is now an app's",
  deactivated: 'your Slack account was deactivated',
  guest: 'you are now a guest in Slack, and guests cannot decide it',
  stranger: 'Slack no longer shows you as a member of a workspace that can decide it',
  'other-company': 'your Slack workspace is no longer allowed to decide it',
  inactive: 'your account in the service was deactivated',
  'activity-unknown': 'the service no longer says whether your account is active',
  'not-linked': 'no account in the service has the e-mail address of your Slack profile now',
  'account-not-shown':
    'the service no longer shows your account, but may have more accounts than it shows',
  'no-address': 'Slack no longer shows Gatepost a confirmed address for you',
  'no-external-id': 'your account in the service no longer has an external id',
  'several-accounts':
    'several accounts in the service now have the e-mail address of your Slack profile',
  'account-changed':
    'the e-mail address of your Slack profile now belongs to another account in the service',
  'account-lost': 'no account in the service has the e-mail address of your Slack profile now',
  'account-taken':
    'the account in the service with your e-mail address was linked with somebody else',
  'no-directory': 'Gatepost can no longer look up accounts in the service',
  'left-group': 'you were removed from the Slack user group whose members can decide it',
  'left-channel': 'you left the channel whose members can decide it',
} satisfies Record<ChangeCode, string>;
