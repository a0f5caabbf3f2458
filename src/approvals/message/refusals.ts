import type { Approval, Ballot } from '../approval.ts';
import { CHANNEL, type RefusalCode, type Terms } from '../policy.ts';
import { REQUEST, reviewersText } from './sentences.ts';

const ME = 'Type `/people me` to see what was looked for, and to tell an administrator.';

/** What the person who clicked reads: what holds, and what they can do. `refusalSentence` adds the rest. */
export const REFUSALS = {
  'no-route': `Nobody can decide ${REQUEST} any more: its route was removed from the configuration. Ask an administrator of Gatepost.`,
  'reason-missing': `${REQUEST} needs a reason, so your answer was not sent. Press again and say why.`,
  'not-a-reviewer': `You are not a reviewer of ${REQUEST}, so your answer was not sent.`,
  'reviewer-no-more': `You were named to decide ${REQUEST}, but you are not a reviewer of its route, so your answer was not sent. Ask an administrator of Gatepost, or ask for a new request.`,
  'group-missing': `It could not be checked that you are a reviewer of ${REQUEST}, because a user group of reviewers was deleted or disabled in Slack. Your answer was not sent. Ask an administrator of Gatepost, or a reviewer whom the message names.`,
  requester: `You asked for ${REQUEST}, so somebody else has to decide. Your answer was not sent.`,
  'requester-unknown': `It could not be checked that you are not the one who asked for ${REQUEST}, because Slack does not show your e-mail address. Your answer was not sent. Ask another reviewer to decide, or an administrator of Gatepost to let it see addresses.`,
  bot: `Apps cannot decide ${REQUEST}. Nothing was sent.`,
  deactivated: `This Slack account is deactivated, so its answer to ${REQUEST} was not sent.`,
  guest: `Guests cannot decide ${REQUEST}, so your answer was not sent. Ask one of the reviewers named in the message.`,
  stranger: `People of other companies cannot decide ${REQUEST}, so your answer was not sent. Ask one of the reviewers named in the message.`,
  'other-company': `Your Slack workspace is not allowed to decide ${REQUEST}, so your answer was not sent. Ask one of the reviewers named in the message.`,
  'address-not-confirmed': `Your e-mail address is not confirmed in Slack, so your answer to ${REQUEST} was not sent. Confirm it in your Slack account settings, then press again. \`/people me\` shows how it stands.`,
  inactive: `Your account in the service is deactivated, so your answer to ${REQUEST} was not sent. ${ME}`,
  'activity-unknown': `The service does not say whether your account is active, so your answer to ${REQUEST} was not sent. ${ME}`,
  'not-linked': `No synchronized account in the service has the e-mail address of your Slack profile, so your answer to ${REQUEST} was not sent. ${ME}`,
  'no-external-id': `Your account in the service lacks the id by which Gatepost names people to it, so your answer to ${REQUEST} was not sent. ${ME}`,
  'several-accounts': `Several accounts in the service have the e-mail address of your Slack profile, so your answer to ${REQUEST} was not sent. ${ME}`,
  'account-changed': `The e-mail address of your Slack profile leads to another account in the service than the one you are linked with, so your answer to ${REQUEST} was not sent. An administrator of Gatepost has to confirm the new one. ${ME}`,
  'account-lost': `No synchronized account in the service has the e-mail address of your Slack profile any more, and you were linked with one, so your answer to ${REQUEST} was not sent. ${ME}`,
  'account-taken': `The account in the service with the e-mail address of your Slack profile is linked with somebody else, so your answer to ${REQUEST} was not sent. An administrator of Gatepost has to confirm whose it is. ${ME}`,
  'no-directory': `Gatepost cannot look up accounts in the service, so your answer to ${REQUEST} was not sent. ${ME}`,
} satisfies Record<RefusalCode, string>;

/** With who can decide as things stand: the message may be older than the configuration. */
export function refusalSentence(
  code: RefusalCode,
  { narrowedTo }: Pick<Approval, 'narrowedTo'>,
  { route }: Pick<Terms, 'route'>,
): string {
  if (code !== 'not-a-reviewer') return REFUSALS[code];
  const [first = '', ...rest] = reviewersText(route?.reviewers, narrowedTo);
  return `${REFUSALS[code]} ${first.toUpperCase()}${rest.join('')}.`;
}

/** What holds now, for somebody who could decide before: the middle of a sentence. */
const CHANGED = {
  'no-route': "the route of this request was removed from Gatepost's configuration",
  'reason-missing': 'a reason has become necessary',
  'not-a-reviewer':
    "the reviewers of this request were changed in Gatepost's configuration, and you are no longer one of them",
  'reviewer-no-more':
    "the reviewers of its route were changed in Gatepost's configuration, and you are no longer one of them",
  'group-missing':
    'a user group of its reviewers was deleted or disabled in Slack, so it could not be checked that you are one of them',
  requester: 'you are known to be the one who asked for it, and somebody else has to decide',
  'requester-unknown':
    'Slack no longer shows your e-mail address, so it could not be checked that you are not the one who asked for it',
  bot: 'your Slack account became that of an app',
  deactivated: 'your Slack account was deactivated',
  guest: 'you became a guest in Slack, and guests cannot decide it',
  stranger: 'Slack no longer shows you as a member of a workspace that can decide it',
  'other-company': 'your Slack workspace is no longer allowed to decide it',
  'address-not-confirmed': 'your e-mail address in Slack is no longer confirmed',
  inactive: 'your account in the service was deactivated',
  'activity-unknown': 'the service no longer says whether your account is active',
  'not-linked': 'no account in the service has the e-mail address of your Slack profile any more',
  'no-external-id':
    'your account in the service no longer has the id by which Gatepost names people to it',
  'several-accounts':
    'several accounts in the service now have the e-mail address of your Slack profile',
  'account-changed':
    'the e-mail address of your Slack profile now leads to another account in the service',
  'account-lost': 'no account in the service has the e-mail address of your Slack profile any more',
  'account-taken':
    'the account in the service with your e-mail address was linked with somebody else',
  'no-directory': 'Gatepost can no longer look up accounts in the service',
} satisfies Record<RefusalCode, string>;

/** Which change it was that a ballot does not count any more for: of an account, a group or the rules. */
export function changedFor(
  code: RefusalCode,
  { through = [] }: Pick<Ballot, 'through'>,
  { narrowedTo }: Pick<Approval, 'narrowedTo'>,
  { route }: Pick<Terms, 'route'>,
): string {
  if (code !== 'not-a-reviewer' && code !== 'reviewer-no-more') return CHANGED[code];
  const groups = [...(route?.reviewers.groups ?? []), ...(narrowedTo?.groups ?? [])];
  if (through.some((group) => groups.includes(group))) {
    return 'you were removed from the Slack user group whose members can decide it';
  }
  const hasLeft = through.includes(CHANNEL) && route?.reviewers.channel === true;
  return hasLeft ? 'you left the channel whose members can decide it' : CHANGED[code];
}
