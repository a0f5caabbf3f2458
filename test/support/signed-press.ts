import { createHmac } from 'node:crypto';
import type { Button } from '@slack/types';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { DEPLOYS } from './world.ts';

export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

let presses = 0;

/** A press on a button of a message as Slack signs it over HTTP: bytes that can be sent again. */
export function signedPress(
  { workspace, credentials }: Sandbox,
  { user, ts, label }: { readonly user: string; readonly ts: string; readonly label: string },
): SignedRequest {
  const blocks = workspace.message(DEPLOYS, ts)?.blocks ?? [];
  // as: of a message of ours, whose elements are buttons
  const buttons = blocks.flatMap((block) =>
    block.type === 'actions' ? (block.elements as Button[]) : [],
  );
  const button = buttons.find(({ text }) => text.text === label);
  if (button === undefined) throw new Error(`no button ${label}`);
  const { teamId } = workspace.bot;
  presses += 1;
  const payload = {
    type: 'block_actions',
    user: { id: user, team_id: teamId },
    team: { id: teamId },
    channel: { id: DEPLOYS },
    container: { type: 'message', message_ts: ts, channel_id: DEPLOYS },
    trigger_id: `trigger-${presses}`,
    response_url: '',
    actions: [{ ...button, action_ts: `${Math.floor(Date.now() / 1000)}.${presses}` }],
  };
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  return { body, headers: signedHeaders(credentials.signingSecret, body) };
}

/** @param secret the app's signing secret, or another one. @param seconds when Slack sent it. */
export function signedHeaders(
  secret: string,
  body: string,
  seconds = Math.floor(Date.now() / 1000),
): Record<string, string> {
  const mac = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex');
  return {
    'content-type': 'application/x-www-form-urlencoded',
    'x-slack-request-timestamp': String(seconds),
    'x-slack-signature': `v0=${mac}`,
  };
}

/** Sends it to a bot; gives the status of the answer. */
export async function sendSigned(url: string, { body, headers }: SignedRequest): Promise<number> {
  const answer = await fetch(`${url}/slack/events`, { method: 'POST', body, headers });
  await answer.text();
  return answer.status;
}
