import process from 'node:process';
import {
  type AllMiddlewareArgs,
  App,
  HTTPReceiver,
  type SlackCommandMiddlewareArgs,
  type SlackEventMiddlewareArgs,
} from '@slack/bolt';
import type { HomeView, ModalView } from '@slack/types';
import { announce } from '../support/announce.ts';

/**
 * Bolt that verifies and acknowledges, opens a form for a command, publishes an empty Home tab, and nothing else.
 * LISTENERS: methods of its app, each with an id.
 */
const title = { type: 'plain_text', text: 'New test case' } as const;
const element = { type: 'plain_text_input', action_id: 'title' } as const;
const VIEW: ModalView = {
  type: 'modal',
  callback_id: 'case',
  title,
  submit: { type: 'plain_text', text: 'Create' },
  blocks: [{ type: 'input', block_id: 'title', label: title, element }],
};
const HOME: HomeView = { type: 'home', blocks: [] };
const receiver = new HTTPReceiver({ signingSecret: process.env.SLACK_SIGNING_SECRET ?? '' });
const app = new App({
  receiver,
  token: process.env.SLACK_BOT_TOKEN ?? '',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? '' },
});
type Arguments = Partial<Pick<SlackCommandMiddlewareArgs, 'ack' | 'command'>> &
  Partial<Pick<SlackEventMiddlewareArgs, 'event'>> &
  AllMiddlewareArgs;
type Listener = readonly ['action' | 'command' | 'event' | 'options' | 'shortcut' | 'view', string];
// Bolt acknowledges events itself.
const acknowledge = async ({ ack, command, event, client }: Arguments) => {
  await ack?.();
  if (event?.type === 'app_home_opened')
    await client.views.publish({ user_id: event.user, view: HOME });
  // The least that answers a command with a form.
  if (command === undefined) return;
  await client.views.open({ trigger_id: command.trigger_id, view: VIEW });
};
for (const [method, id] of JSON.parse(process.env.LISTENERS ?? '[]') as readonly Listener[]) {
  // as: each takes an id and such a listener
  const listen = app[method].bind(app) as (id: string, listener: typeof acknowledge) => void;
  listen(id, acknowledge);
}

const server = await receiver.start({ port: 0, host: '127.0.0.1' });
announce(server);
