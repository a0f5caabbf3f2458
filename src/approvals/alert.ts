import { type FailureFacts, isRefused } from '../core/lib/failure.ts';
import { escapeMrkdwn } from '../core/slack/text.ts';
import type { NewAuditEntry } from '../core/store/store.ts';

/** A problem with approvals that only an administrator can fix. */
export interface ApprovalAlert {
  readonly cause: AlertCause;
  /** What it is about, if that matters: a Slack id, a route's name, a scope. */
  readonly subject?: string;
  /** The status, or Slack's code. */
  readonly said?: string;
}

type AlertCause =
  | 'look-denied'
  | 'look-not-known'
  | 'answer-denied'
  | 'people-denied'
  | 'several-accounts'
  | 'group-missing'
  | 'no-user-groups'
  | 'not-in-channel'
  | 'channel-missing'
  | 'channel-archived'
  | 'posting-restricted'
  | 'post-refused'
  | 'message-deleted'
  | 'scope-missing'
  | 'token-refused'
  | 'route-missing'
  | 'reviewers-too-few'
  | 'requester-approved'
  | 'callback-failed'
  | 'sealed';

/** Nobody can be asked: the callers that wait are told, on every replica (`waiting.ts`). `code`: Slack's. */
export function blockedEntry(
  { channel }: { readonly channel: string },
  code: string,
): NewAuditEntry {
  const facts = { channel, code };
  return { action: 'approvals.blocked', record: null, actor: 'gatepost', facts };
}

/** The key under which an alert is sent at most once an hour, however many approvals cause it. */
export function aboutOf({ cause, subject }: ApprovalAlert): string {
  return ['approvals', cause, ...(subject === undefined ? [] : [subject])].join('.');
}

/** The alert for administrators: the problem, then what to do. */
export function alertSentence({ cause, subject = '', said = '' }: ApprovalAlert): string {
  return ALERTS[cause](escapeMrkdwn(subject), escapeMrkdwn(said));
}

const ALERTS = {
  'look-denied': (_, status) =>
    `The service does not let Gatepost read approvals (${status}). Gatepost cannot see decisions made elsewhere, and clicks have no effect. Fix its access in the service, or correct \`SERVICE_URL\`, \`SERVICE_API_KEY\` or \`dialect.approval.auth\` and restart Gatepost. Approvals are then read again automatically, the first one within a minute.`,
  'look-not-known': (_, status) =>
    `The service did not know any of the last three new approvals (${status}). Perhaps \`SERVICE_URL\` has a typo or points to another deployment. Check it, and restart Gatepost if you change it: their messages are then updated automatically. If it is correct, check where the automations get their tokens.`,
  'answer-denied': (_, status) =>
    `The service does not accept decisions from Gatepost (${status}). Approvals are still waiting, and everybody who clicked has been told. Fix its access (\`SERVICE_API_KEY\` and \`dialect.approval.auth\`), then ask the reviewers to press again.`,
  'people-denied': (_, status) =>
    `The service does not let Gatepost look up accounts (${status}). Anybody whose account must be checked cannot decide. Check \`SCIM_TOKEN\`, and that the service's user list (SCIM) is switched on and licensed; then ask the reviewers to press again.`,
  'several-accounts': (user) =>
    `<@${user}> cannot decide: several accounts in the service have their e-mail address. Remove the duplicates, or link this person in \`identity.overrides\`.`,
  'group-missing': (group) =>
    `The user group \`${group}\` cannot be read: it was deleted or disabled in Slack. Its members cannot decide. Enable it again, or set another group in the route's \`reviewers\`.`,
  'no-user-groups': () =>
    `Slack does not show Gatepost any user groups: the plan of this workspace has none. Members of groups cannot decide. Set people in the route's \`reviewers\` instead, or upgrade the plan.`,
  'not-in-channel': (channel) =>
    `Gatepost cannot post in <#${channel}>: it is not in the channel. Type \`/invite @Gatepost\` there: waiting approvals and outcomes are then posted automatically.`,
  'channel-missing': (channel) =>
    `Gatepost cannot post in \`${channel}\`: there is no such channel, or it is private and Gatepost is not in it. Invite Gatepost to it, and waiting approvals and outcomes are posted automatically; or correct the channel in the configuration.`,
  'channel-archived': (channel) =>
    `Gatepost cannot post in <#${channel}>: the channel is archived. Unarchive it, and invite Gatepost again if needed (\`/invite @Gatepost\`): waiting approvals and outcomes are then posted automatically. Or set another channel in the configuration.`,
  'posting-restricted': (channel, code) =>
    `Gatepost is not allowed to post in <#${channel}> (\`${code}\`). Allow it in the channel's settings: waiting approvals are then posted within 15 minutes.`,
  'post-refused': (channel, code) =>
    `Slack refuses an approval for <#${channel}> (\`${code}\`). Gatepost tries again every 15 minutes. Look up the code in Slack's reference for chat.postMessage.`,
  'message-deleted': (channel) =>
    `The message of an approval in <#${channel}> was deleted again, so Gatepost stopped posting it. Nobody can decide it in Slack: decide it in the service, or have the automation ask again.`,
  'scope-missing': (scope) =>
    `Slack did not grant Gatepost all the scopes it needs (${scope || 'a scope is missing'}). Add the scopes from manifest.yml under OAuth &amp; Permissions and reinstall the app: waiting approvals are then posted within 15 minutes.`,
  'token-refused': (_, code) =>
    `Slack no longer accepts Gatepost's token (\`${code}\`), so nothing is posted. Reinstall the app, set \`SLACK_BOT_TOKEN\` and restart Gatepost: waiting approvals are then posted.`,
  'route-missing': (route) =>
    `Approvals of the route \`${route}\` cannot be decided: the route is not configured. Add it again, or withdraw these approvals and ask again.`,
  'reviewers-too-few': (route) =>
    `A request on the route \`${route}\` needs more approvals than its reviewers can give; whoever asked does not count. Add reviewers, or change the \`quorum\` or \`need\` of the route or the request. The message is updated within five minutes.`,
  'requester-approved': (user) =>
    `<@${user}> approved a request that was asked for in their name too, which became known only afterwards. Its message says so, and another reviewer can press Reviewed there. An own gate opens nothing any more; the service has accepted the approval of its own. Have the automation name its requester when it asks first.`,
  'callback-failed': (source, code) =>
    `The source \`${source}\` did not accept a callback for 24 hours (\`${code}\`), so Gatepost stopped sending it. Check the address and the secret of its \`callback\`, and that its receiver answers with 2xx. It can still read what it missed with \`GET /v1/approvals/{id}\`.`,
  sealed: () =>
    `Gatepost can no longer decrypt some approvals: their key is not in \`GATEPOST_KEYS\`. Add the old key after the new one and restart Gatepost. Then press Check now on their messages.`,
} satisfies Record<AlertCause, (subject: string, said: string) => string>;

/** The keys of all alerts, without subjects. */
export const APPROVAL_ALERTS: readonly string[] = Object.keys(ALERTS).map(
  (cause) => `approvals.${cause}`,
);

/** Slack's codes for problems that somebody can fix in a channel. */
const OF_CHANNEL: Readonly<Record<string, AlertCause>> = {
  not_in_channel: 'not-in-channel',
  channel_not_found: 'channel-missing',
  is_archived: 'channel-archived',
  // chat.update's code for an archived channel.
  is_inactive: 'channel-archived',
  restricted_action: 'posting-restricted',
  restricted_action_non_threadable_channel: 'posting-restricted',
  restricted_action_read_only_channel: 'posting-restricted',
  restricted_action_thread_locked: 'posting-restricted',
  restricted_action_thread_only_channel: 'posting-restricted',
  posting_to_channel_denied: 'posting-restricted',
};

/** Slack's codes for an unusable token. */
export const OF_TOKEN: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
]);

/** What a person has to fix when Slack refuses a call; `channel`: for calls into a channel. */
export function slackAlert(failure: FailureFacts, channel?: string): ApprovalAlert | undefined {
  const { code, detail } = failure;
  if (!isRefused(failure)) return undefined;
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
