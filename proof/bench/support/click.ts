import { createHmac } from 'node:crypto';
import { SIGNING_SECRET, TEAM } from './environment.ts';

/** A press on a button of a pending approval. */
export interface Click {
  readonly user: string;
  readonly channel: string;
  /** `ts` of the message; unique per click. */
  readonly message: string;
  readonly actionId: string;
  /** The button's value: identifies the approval for the bot. */
  readonly value: string;
  /** Identifies the approval for the service. */
  readonly token: string;
}

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request that Slack would send, signed now; valid for five minutes. */
export function signedRequest(click: Click): SignedRequest {
  return signed(new URLSearchParams({ payload: JSON.stringify(payload(click)) }).toString());
}

/** The same for any body. */
export function signed(
  body: string,
  contentType = 'application/x-www-form-urlencoded',
): SignedRequest {
  const seconds = Math.floor(Date.now() / 1000);
  const mac = createHmac('sha256', SIGNING_SECRET).update(`v0:${seconds}:${body}`);
  return {
    headers: {
      'content-type': contentType,
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': `v0=${mac.digest('hex')}`,
    },
    body,
  };
}

function payload({ user, channel, message, actionId, value }: Click) {
  const button = {
    type: 'button',
    action_id: actionId,
    block_id: 'approvals.decide',
    text: { type: 'plain_text', text: 'Approve', emoji: true },
    style: 'primary',
    value,
  };
  return {
    type: 'block_actions',
    user: { id: user, username: user.toLowerCase(), name: user.toLowerCase(), team_id: TEAM },
    api_app_id: 'A0BENCH',
    token: 'not-a-secret',
    container: {
      type: 'message',
      message_ts: message,
      channel_id: channel,
      is_ephemeral: false,
    },
    trigger_id: `1.2.${message}`,
    team: { id: TEAM, domain: 'bench' },
    enterprise: null,
    is_enterprise_install: false,
    channel: { id: channel, name: 'bench' },
    message: shownMessage(message, button),
    state: { values: {} },
    response_url: `https://hooks.slack.com/actions/${TEAM}/${message}`,
    actions: [{ ...button, action_ts: message }],
  };
}

/** Slack sends the message with the click: most of the request's 2.5 kB. */
function shownMessage(ts: string, button: object) {
  const words = 'All checks are green. Shall it go out?';
  return {
    type: 'message',
    ts,
    user: 'U0BOT',
    bot_id: 'B0BOT',
    app_id: 'A0BENCH',
    team: TEAM,
    text: 'Decision needed: Deploy 4.2 to production · asked by deploys',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy 4.2 to production' } },
      { type: 'section', text: { type: 'mrkdwn', text: words, verbatim: false } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: ':hourglass: *Waiting for* <@U0ANA>', verbatim: false },
      },
      { type: 'actions', block_id: 'approvals.decide', elements: [button, button] },
    ],
  };
}
