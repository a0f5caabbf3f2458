import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import process from 'node:process';
import { json as requestJson } from 'node:stream/consumers';
import { App, type BlockAction, HTTPReceiver } from '@slack/bolt';
import { Redis } from 'ioredis';
import { announce } from '../support/announce.ts';

/**
 * A bot written in an afternoon: acknowledge, read the token, ask the service, send the decision, show it. Nothing is
 * stored before the acknowledgement, nobody is authorized, and a failure is lost.
 */
const redis = new Redis(process.env.REDIS_URL ?? '');
const receiver = new HTTPReceiver({
  signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
  customRoutes: [{ path: '/v1/approvals', method: 'POST', handler: takeToken }],
});
const app = new App({
  receiver,
  token: process.env.SLACK_BOT_TOKEN ?? '',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? '' },
});

app.action<BlockAction>('approvals.ballot.approve', async ({ ack, body, client }) => {
  await ack();
  const [action] = body.actions;
  const id = action?.type === 'button' ? (action.value ?? '') : '';
  const token = await redis.get(`approval:${id}`);
  const url = `${process.env.SERVICE_URL}/api/v1/automation/approvals/${token}`;
  const { status } = await json(await fetch(url));
  if (status !== 'PENDING') return;
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'approve' }),
  });
  const text = `${(await json(answer)).status} by <@${body.user.id}>`;
  await client.chat.update({
    channel: body.container.channel_id,
    ts: body.container.message_ts,
    text,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy 4.2 to production' } },
      { type: 'section', text: { type: 'mrkdwn', text: 'All checks are green.' } },
      { type: 'section', text: { type: 'mrkdwn', text } },
    ],
  });
});

/** Posts before it answers, so that the automation knows that the message is there. */
async function takeToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.headers.authorization !== `Bearer ${process.env.GATEPOST_INTAKE_SECRET}`) {
    response.writeHead(401).end();
    return;
  }
  // as: no checks, written in an afternoon
  const asked = (await requestJson(request)) as Record<'token' | 'channel' | 'title', string> & {
    readonly message: string;
  };
  const id = randomUUID();
  await redis.set(`approval:${id}`, asked.token);
  await app.client.chat.postMessage({
    channel: asked.channel,
    text: asked.title,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: asked.title } },
      { type: 'section', text: { type: 'mrkdwn', text: asked.message } },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: 'approvals.ballot.approve',
            text: { type: 'plain_text', text: 'Approve' },
            value: id,
          },
        ],
      },
    ],
  });
  const body = JSON.stringify({ id, status: 'PENDING', url: `/v1/approvals/${id}` });
  response.writeHead(202, { 'content-type': 'application/json' }).end(body);
}

const server = await receiver.start({ port: 0, host: '127.0.0.1' });
announce(server);

async function json(response: Response): Promise<{ readonly status: string }> {
  // as: no checks, written in an afternoon
  return response.json() as Promise<{ readonly status: string }>;
}
