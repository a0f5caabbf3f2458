import { App, type AppOptions, type BlockButtonAction } from '@slack/bolt';
import type { KnownBlock } from '@slack/types';
import type { WebClient } from '@slack/web-api';

/** A slash command that fills a list, and a Home tab that shows it. */
export function todo(options: AppOptions): App {
  const app = new App(options);
  const lists = new Map<string, string[]>();

  const publish = async (client: WebClient, user: string): Promise<void> => {
    const { user: person } = await client.users.info({ user });
    const items = lists.get(user) ?? [];
    const blocks: KnownBlock[] = [
      {
        type: 'header',
        text: { type: 'plain_text', text: `${person?.profile?.display_name}’s list` },
      },
      ...items.map(
        (item, place): KnownBlock => ({
          type: 'section',
          text: { type: 'plain_text', text: item },
          accessory: {
            type: 'button',
            action_id: 'todo.done',
            value: String(place),
            text: { type: 'plain_text', text: 'Done' },
          },
        }),
      ),
    ];
    await client.views.publish({ user_id: user, view: { type: 'home', blocks } });
  };

  app.command('/todo', async ({ command, ack, respond, client }) => {
    if (command.text === '') {
      await ack('Usage: /todo something to do');
      return;
    }
    await ack();
    const items = [...(lists.get(command.user_id) ?? []), command.text];
    lists.set(command.user_id, items);
    await publish(client, command.user_id);
    await respond(`Added. You have ${items.length} to do.`);
  });

  app.event('app_home_opened', ({ event, client }) => publish(client, event.user));

  app.action<BlockButtonAction>('todo.done', async ({ ack, body, action, client }) => {
    await ack();
    const items = lists.get(body.user.id) ?? [];
    lists.set(
      body.user.id,
      items.filter((_, place) => place !== Number(action.value)),
    );
    await publish(client, body.user.id);
  });

  return app;
}
