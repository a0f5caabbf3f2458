import { App, type AppOptions, type BlockAction } from '@slack/bolt';

/** A message with a button that opens a modal. */
export function greeter(options: AppOptions): App {
  const app = new App(options);

  app.message('hello', async ({ message, say }) => {
    // Only messages that somebody wrote have a text that matches.
    const { user } = message as { user: string };
    await say({
      text: `Hello, <@${user}>!`,
      blocks: [
        {
          type: 'section',
          text: { type: 'mrkdwn', text: `Hello, <@${user}>! What shall we call you?` },
          accessory: {
            type: 'button',
            action_id: 'name.ask',
            text: { type: 'plain_text', text: 'Tell me' },
          },
        },
      ],
    });
  });

  app.action<BlockAction>('name.ask', async ({ ack, body, client }) => {
    await ack();
    await client.views.open({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'name.form',
        private_metadata: body.channel?.id ?? '',
        title: { type: 'plain_text', text: 'Your name' },
        submit: { type: 'plain_text', text: 'Save' },
        blocks: [
          {
            type: 'input',
            block_id: 'name',
            label: { type: 'plain_text', text: 'Name' },
            element: { type: 'plain_text_input', action_id: 'value' },
          },
        ],
      },
    });
  });

  app.view('name.form', async ({ ack, view, body, client }) => {
    const name = view.state.values.name?.value?.value ?? '';
    if (name.length < 2) {
      await ack({ response_action: 'errors', errors: { name: 'A little longer, please.' } });
      return;
    }
    await ack();
    const text = `<@${body.user.id}> is called ${name}.`;
    await client.chat.postMessage({ channel: view.private_metadata, text });
  });

  app.event('app_mention', async ({ event, client }) => {
    const { channel, ts: timestamp } = event;
    await client.reactions.add({ channel, timestamp, name: 'wave' });
  });

  app.event('reaction_added', async ({ event, client }) => {
    const { channel, ts } = event.item;
    await client.chat.postMessage({ channel, thread_ts: ts, text: `:${event.reaction}: to you` });
  });

  return app;
}
