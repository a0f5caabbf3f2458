import type { FailureFacts } from '../lib/failure.ts';
import type { Alarm, AlarmCause } from './alarm.ts';

/** Slack's codes for what somebody can mend in a channel. */
const OF_CHANNEL: Readonly<Record<string, AlarmCause>> = {
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
export function slackAlarm(
  { class: kind, code, status, detail }: FailureFacts,
  channel?: string,
): Alarm | undefined {
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
