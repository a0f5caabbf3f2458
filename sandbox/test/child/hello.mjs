/** The smallest app of Bolt's documentation, in Socket Mode. */
import process from 'node:process';
import bolt from '@slack/bolt';

const app = new bolt.App({
  token: process.env.SLACK_BOT_TOKEN,
  appToken: process.env.SLACK_APP_TOKEN,
  socketMode: true,
});
app.message('hello', ({ message, say }) => say(`Hello, <@${message.user}>!`));
await app.start();

for (const signal of ['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2']) {
  process.once(signal, async () => {
    console.log(`the app was told ${signal}`);
    await app.stop();
    process.exit(3);
  });
}
