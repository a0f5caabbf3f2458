import process from 'node:process';
import { App, HTTPReceiver } from '@slack/bolt';
import { announce } from '../support/announce.ts';

/** Bolt that verifies and acknowledges, and nothing else. LISTENERS: methods of its app, each with an id. */
const receiver = new HTTPReceiver({ signingSecret: process.env.SLACK_SIGNING_SECRET ?? '' });
const app = new App({
  receiver,
  token: process.env.SLACK_BOT_TOKEN ?? '',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? '' },
});
type Listener = readonly ['action' | 'command' | 'event' | 'options' | 'shortcut' | 'view', string];
// Bolt acknowledges events by itself.
const acknowledge = async ({ ack }: { ack?: () => Promise<void> }) => ack?.();
for (const [method, id] of JSON.parse(process.env.LISTENERS ?? '[]') as readonly Listener[]) {
  // as: each takes an id and such a listener
  const listen = app[method].bind(app) as (id: string, listener: typeof acknowledge) => void;
  listen(id, acknowledge);
}

const server = await receiver.start({ port: 0, host: '127.0.0.1' });
announce(server);
