import process from 'node:process';
import { App, HTTPReceiver } from '@slack/bolt';
import { announce } from '../support/announce.ts';

/** Bolt that verifies and acknowledges, and nothing else. */
const receiver = new HTTPReceiver({ signingSecret: process.env.SLACK_SIGNING_SECRET ?? '' });
const app = new App({
  receiver,
  token: process.env.SLACK_BOT_TOKEN ?? '',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? '' },
});
app.action('approvals.ballot.approve', ({ ack }) => ack());

const server = await receiver.start({ port: 0, host: '127.0.0.1' });
announce(server);
