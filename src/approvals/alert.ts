import type { FailureFacts } from '../lib/failure.ts';
import { escapeMrkdwn } from '../slack/text.ts';

/** Trouble with approvals that nobody but an administrator can mend. */
export interface ApprovalAlert {
  readonly cause: AlertCause;
  /** What it is about, where that makes a difference: an id of Slack, the name of a route, a scope. */
  readonly subject?: string;
  /** What the other side said: a status, Slack's code. */
  readonly said?: string;
}

type AlertCause =
  | 'look-denied'
  | 'look-not-known'
  | 'answer-denied'
  | 'people-denied'
  | 'several-accounts'
  | 'group-missing'
  | 'not-in-channel'
  | 'channel-missing'
  | 'channel-archived'
  | 'posting-restricted'
  | 'post-refused'
  | 'message-deleted'
  | 'scope-missing'
  | 'token-refused'
  | 'route-missing'
  | 'callback-failed'
  | 'sealed';

/** Once an hour for each of these, however many approvals meet it. */
export function aboutOf({ cause, subject }: ApprovalAlert): string {
  return ['approvals', cause, ...(subject === undefined ? [] : [subject])].join('.');
}

/** What administrators read: what holds, and last what to do. */
export function alertSentence({ cause, subject = '', said = '' }: ApprovalAlert): string {
  return ALERTS[cause](escapeMrkdwn(subject), escapeMrkdwn(said));
}

const ALERTS = {
  'look-denied': (_, status) =>
    `The service does not let Gatepost read approvals (${status}). Decisions made elsewhere are not noticed and clicks come to nothing. Mend its access (\`SERVICE_URL\`, \`SERVICE_API_KEY\` and \`dialect.approval.auth\`), then restart Gatepost, or press Check now on one message that waits: the others follow by themselves.`,
  'look-not-known': (_, status) =>
    `The service did not know any of the last three approvals that it was asked about for the first time (${status}). Perhaps \`SERVICE_URL\` has a mistyped path or leads to another deployment. Check it, and restart Gatepost if you change it; their messages follow by themselves. If it is right, check where the automations take their tokens from.`,
  'answer-denied': (_, status) =>
    `The service does not take answers from Gatepost (${status}). Approvals wait, and whoever clicked was told. Mend its access (\`SERVICE_API_KEY\` and \`dialect.approval.auth\`), then ask the reviewers to press again.`,
  'people-denied': (_, status) =>
    `The service does not let Gatepost look people up (${status}). Nobody whose account has to be checked can decide. Check \`SCIM_TOKEN\`, and that the service's user list (SCIM) is switched on and licensed; then ask the reviewers to press again.`,
  'several-accounts': (user) =>
    `<@${user}> cannot decide: several accounts in the service have their e-mail address. Leave one of them, or link them in \`identity.overrides\`.`,
  'group-missing': (group) =>
    `The user group \`${group}\` cannot be read: it was deleted or disabled in Slack. Its members cannot decide as reviewers. Enable it again, or name another group in the route's \`reviewers\`.`,
  'not-in-channel': (channel) =>
    `Gatepost cannot post in <#${channel}>: it is not in the channel. Invite it there with \`/invite @Gatepost\`; the approvals that wait for it then follow by themselves.`,
  'channel-missing': (channel) =>
    `Gatepost cannot post in \`${channel}\`: there is no such channel, or it is private and Gatepost is not in it. Invite Gatepost there, and what waits for it follows by itself; or correct the channel in the configuration.`,
  'channel-archived': (channel) =>
    `Gatepost cannot post in <#${channel}>: the channel is archived. Unarchive it, and invite Gatepost if it is not in it any more (\`/invite @Gatepost\`); the approvals that wait for it then follow by themselves. Or choose another channel in the configuration.`,
  'posting-restricted': (channel, code) =>
    `Gatepost may not post in <#${channel}> (\`${code}\`). Let it post in the channel's settings; the approvals that wait for it follow within a quarter of an hour.`,
  'post-refused': (channel, code) =>
    `Slack refuses an approval for <#${channel}> (\`${code}\`). It is tried again every quarter of an hour. Look the code up in Slack's reference of chat.postMessage.`,
  'message-deleted': (channel) =>
    `The message of an approval in <#${channel}> was deleted again, so it is not posted any more. Nobody can decide it in Slack: decide it in the service, or let the automation ask anew.`,
  'scope-missing': (scope) =>
    `Slack did not grant Gatepost everything it needs (${scope || 'a scope is missing'}). Add the scopes of manifest.yml under OAuth &amp; Permissions and install the app again; what waits follows within a quarter of an hour.`,
  'token-refused': (_, code) =>
    `Slack does not accept Gatepost's token any more (\`${code}\`), so nothing is posted. Install the app again, set \`SLACK_BOT_TOKEN\` and restart Gatepost; what waits then follows.`,
  'route-missing': (route) =>
    `Approvals of the route \`${route}\` cannot be decided: it is no longer configured. Bring the route back, or withdraw them and ask anew.`,
  'callback-failed': (source, code) =>
    `The source \`${source}\` did not accept a callback for 24 hours (\`${code}\`), so Gatepost stopped sending it. Check the address and the secret of its \`callback\`, and that its receiver answers with 2xx. It can still read what it missed with \`GET /v1/approvals/{id}\`.`,
  sealed: () =>
    `Gatepost can no longer read what it keeps of some approvals: their key is not in \`GATEPOST_KEYS\`. Put the old key back behind the new one and restart Gatepost, then press Check now on their messages.`,
} satisfies Record<AlertCause, (subject: string, said: string) => string>;

/** Slack's codes for what somebody can mend in a channel. */
const OF_CHANNEL: Readonly<Record<string, AlertCause>> = {
  not_in_channel: 'not-in-channel',
  channel_not_found: 'channel-missing',
  is_archived: 'channel-archived',
  // What chat.update says of an archived channel.
  is_inactive: 'channel-archived',
  restricted_action: 'posting-restricted',
  restricted_action_non_threadable_channel: 'posting-restricted',
  restricted_action_read_only_channel: 'posting-restricted',
  restricted_action_thread_locked: 'posting-restricted',
  restricted_action_thread_only_channel: 'posting-restricted',
  posting_to_channel_denied: 'posting-restricted',
};

const OF_TOKEN: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

/** What a person has to mend when Slack refuses a call; `channel`: of a call into a channel. */
export function slackAlert(
  { class: kind, code, status, detail }: FailureFacts,
  channel?: string,
): ApprovalAlert | undefined {
  if (kind !== 'refused' || status === 429) return undefined;
  if (OF_TOKEN.has(code)) return { cause: 'token-refused', said: code };
  if (code === 'missing_scope') {
    return { cause: 'scope-missing', ...(detail !== undefined && { subject: detail }) };
  }
  const cause = OF_CHANNEL[code];
  return cause !== undefined && channel !== undefined
    ? { cause, subject: channel, said: code }
    : undefined;
}

/** The service does not authorize Gatepost. */
export function deniedAlert(cause: AlertCause, failure: FailureFacts | undefined): ApprovalAlert[] {
  const { status } = failure ?? {};
  return status === 401 || status === 403 ? [{ cause, said: String(status) }] : [];
}
