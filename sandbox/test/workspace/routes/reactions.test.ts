import { expect, it } from 'vitest';
import { channel } from '../app-world.ts';
import { type Given, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const name = 'thumbsup';

const add = async (more: Given) => {
  const timestamp = more.timestamp ?? (await live.post('Hello'));
  return live.call('reactions.add', { channel, name, timestamp, ...more });
};
const remove = async (more: Given) => {
  const timestamp = more.timestamp ?? (await reacted());
  return live.call('reactions.remove', { channel, name, timestamp, ...more });
};

/** A message that the app has reacted to. */
async function reacted(): Promise<string> {
  const timestamp = await live.post('Hello');
  await live.call('reactions.add', { channel, name, timestamp });
  return timestamp;
}

/** A message in a channel that the app was in. */
async function left(): Promise<Given> {
  const timestamp = await reacted();
  live.sandbox.workspace.kickBot(channel);
  return { channel, timestamp };
}

async function archived(): Promise<Given> {
  const timestamp = await reacted();
  live.sandbox.workspace.archive(channel);
  return { channel, timestamp };
}

proveMethods(live, {
  'reactions.add': {
    works: async () => ({ channel, name, timestamp: await live.post('Hello') }),
    errors: {
      already_reacted: async () => add({ timestamp: await reacted() }),
      bad_timestamp: () => add({ timestamp: '1' }),
      channel_not_found: () => add({ channel: 'C0NONE' }),
      invalid_name: () => add({ name: ':thumbsup:' }),
      is_archived: async () => add(await archived()),
      message_not_found: () => add({ timestamp: '1.000000' }),
      no_access: async () => add(await left()),
    },
  },
  'reactions.remove': {
    works: async () => ({ channel, name, timestamp: await reacted() }),
    errors: {
      no_reaction: () => remove({ name: 'eyes' }),
      bad_timestamp: () => remove({ timestamp: '1' }),
      channel_not_found: () => remove({ channel: 'C0NONE' }),
      invalid_name: () => remove({ name: ':thumbsup:' }),
      is_archived: async () => remove(await archived()),
      message_not_found: () => remove({ timestamp: '1.000000' }),
      no_access: async () => remove(await left()),
    },
  },
});

it('reactions of people and of the app are counted together, and sent as events', async () => {
  const { workspace } = live.sandbox;
  const ts = await reacted();
  workspace.react({ user: 'U0ANA', channel, ts, name });
  const both = [{ name, users: ['U0APP', 'U0ANA'], count: 2 }];
  expect(workspace.message(channel, ts)?.reactions).toEqual(both);
  expect(await live.call('conversations.history', { channel })).toMatchObject({
    messages: [{ ts, reactions: both }],
  });
  workspace.react({ user: 'U0ANA', channel, ts, name });
  await live.call('reactions.remove', { channel, name, timestamp: ts });
  expect(workspace.message(channel, ts)).not.toHaveProperty('reactions');
  const facts = { reaction: name, item_user: 'U0APP', item: { type: 'message', channel, ts } };
  expect(workspace.events('reaction_added').map(({ event }) => event)).toMatchObject([
    { user: 'U0APP', ...facts },
    { user: 'U0ANA', ...facts },
  ]);
  expect(workspace.events('reaction_removed').map(({ event }) => event)).toMatchObject([
    { user: 'U0ANA', ...facts },
    { user: 'U0APP', ...facts },
  ]);
});
