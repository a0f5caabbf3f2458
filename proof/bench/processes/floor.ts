import process from 'node:process';
import { App, type BlockAction, type ButtonAction, HTTPReceiver } from '@slack/bolt';
import { announce } from '../support/announce.ts';
import { startFloor, takeClick } from '../support/floor.ts';

/** The least Bolt app that keeps the promises of a click. */
const receiver = new HTTPReceiver({ signingSecret: process.env.SLACK_SIGNING_SECRET ?? '' });
const app = new App({
  receiver,
  token: process.env.SLACK_BOT_TOKEN ?? '',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? '' },
});
startFloor({
  person: async (user) => (await app.client.users.info({ user })).user,
  update: (message) => app.client.chat.update(message),
});

for (const action of ['approvals.ballot.approve', 'approvals.ballot.reject'] as const) {
  app.action<BlockAction<ButtonAction>>(action, async ({ body, payload, ack }) => {
    await takeClick(body, action, payload.value ?? '');
    await ack();
  });
}

const server = await receiver.start({ port: 0, host: '127.0.0.1' });
announce(server);
