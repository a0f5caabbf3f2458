import { Server } from 'node:http';
import type { App, AppOptions } from '@slack/bolt';
import { afterEach, describe, expect, it } from 'vitest';
import type { SlackSandbox, SlackSandboxOptions } from '../../slack-sandbox.ts';
import { startSlackSandbox } from '../../start-slack-sandbox.ts';
import { silentLogger } from '../slack-client.ts';
import { expenses } from './expenses.ts';
import { greeter } from './greeter.ts';
import { todo } from './todo.ts';

/** Small apps built with Bolt in the usual way: only the API address shows them that Slack is imitated. */

const channel = 'C0DEPLOYS';
const ways = ['HTTP', 'Socket Mode'] as const;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A sandbox with the app. */
async function run(
  make: (options: AppOptions) => App,
  way: (typeof ways)[number],
  options: SlackSandboxOptions = {},
): Promise<SlackSandbox> {
  const sandbox = await startSlackSandbox({ postRate: null, patienceMs: 60_000, ...options });
  ends.push(() => sandbox.close());
  const { botToken: token, appToken, signingSecret } = sandbox.credentials;
  const common = {
    token,
    logger: silentLogger,
    clientOptions: { slackApiUrl: sandbox.slackApiUrl },
  };
  const isSocketMode = way === 'Socket Mode';
  const app = make({
    ...common,
    ...(isSocketMode ? { socketMode: true, appToken } : { signingSecret }),
  });
  const server = await app.start(0);
  ends.push(() => app.stop());
  if (isSocketMode) {
    sandbox.connectApp(null);
    await sandbox.until(() => sandbox.workspace.sockets.open() === 1);
  } else {
    const address = server instanceof Server ? server.address() : null;
    if (address === null || typeof address === 'string') throw new Error('The app has no port.');
    sandbox.connectApp(`http://127.0.0.1:${address.port}/slack/events`);
  }
  return sandbox;
}

describe.each(ways)('over %s', (way) => {
  it('an app answers a message, and its button and form work', async () => {
    const { workspace, until } = await run(greeter, way);
    const said = workspace.say({ user: 'U0ANA', channel, text: 'hello there' });
    const [, asked] = await until(
      () => workspace.messages(channel)[1] && workspace.messages(channel),
    );
    expect(asked).toMatchObject({ user: 'U0APP', text: 'Hello, <@U0ANA>!' });
    const pressed = { user: 'U0ANA', channel, ts: asked?.ts ?? '', label: 'Tell me' };
    expect(await workspace.click(pressed)).toMatchObject({ acknowledged: true, shown: null });
    await until(() => workspace.modal('U0ANA'));
    await workspace.submit({ user: 'U0ANA', values: { Name: 'A' } });
    expect(workspace.modalErrors('U0ANA')).toEqual({ name: 'A little longer, please.' });
    await workspace.submit({ user: 'U0ANA', values: { Name: 'Anita' } });
    expect(workspace.modal('U0ANA')).toBeUndefined();
    await until(() => workspace.messages(channel)[2]);
    expect(workspace.messages(channel).map(({ text }) => text)).toEqual([
      said.text,
      'Hello, <@U0ANA>!',
      '<@U0ANA> is called Anita.',
    ]);
  });

  it('an app reacts to a mention, and answers reactions in a thread', async () => {
    const { workspace, until } = await run(greeter, way);
    const { ts } = workspace.say({ user: 'U0ANA', channel, text: 'Are you there, <@U0APP>?' });
    await until(() => workspace.message(channel, ts)?.reactions);
    expect(workspace.message(channel, ts)?.reactions).toMatchObject([
      { name: 'wave', users: ['U0APP'] },
    ]);
    workspace.react({ user: 'U0BEN', channel, ts, name: 'eyes' });
    const thread = await until(
      () => workspace.thread(channel, ts)[1] && workspace.thread(channel, ts),
    );
    expect(thread[1]).toMatchObject({ thread_ts: ts, text: ':eyes: to you' });
  });

  it('an app with a command and a Home tab keeps both up to date', async () => {
    const { workspace, until } = await run(todo, way);
    const where = { user: 'U0BEN', channel };
    const words = () => workspace.ephemerals('U0BEN').map(({ text }) => text);
    expect(await workspace.command({ ...where, text: '/todo' })).toMatchObject({ shown: null });
    expect(words()).toEqual(['Usage: /todo something to do']);
    await workspace.command({ ...where, text: '/todo buy tea' });
    await until(() => words().length === 2);
    expect(words()[1]).toBe('Added. You have 1 to do.');
    const home = () => JSON.stringify(workspace.home('U0BEN')?.blocks);
    expect(home()).toContain('buy tea');
    workspace.openHome('U0CLEO');
    await until(() => workspace.home('U0CLEO'));
    expect(JSON.stringify(workspace.home('U0CLEO')?.blocks)).toContain('Cleo’s list');
    await workspace.click({ user: 'U0BEN', surface: 'home', label: 'Done' });
    await until(() => !home().includes('buy tea'));
  });

  it('an app shows each person their step of a workflow', async () => {
    const { workspace, until } = await run(expenses, way);
    const mine = () => workspace.ephemerals('U0CLEO').map(({ text }) => text);
    const press = (label: string) => {
      const { ts = '' } = workspace.ephemerals('U0CLEO').at(-1) ?? {};
      return workspace.click({ user: 'U0CLEO', channel, ts, label });
    };
    await workspace.command({ user: 'U0CLEO', channel, text: '/expense' });
    await until(() => mine()[0]);
    await press('Cancel');
    await until(() => mine().length === 0);

    await workspace.command({ user: 'U0CLEO', channel, text: '/expense' });
    await until(() => mine()[0]);
    await press('Fill in');
    await until(() => mine()[0] === 'Filling in an expense …');
    const title = () => JSON.stringify(workspace.modal('U0CLEO')?.title);
    await workspace.click({ user: 'U0CLEO', surface: 'modal', label: 'Choose' });
    await until(() => title()?.includes('Category'));
    await workspace.submit({ user: 'U0CLEO', values: { Category: 'Travel' } });
    await until(() => JSON.stringify(workspace.modal('U0CLEO')?.blocks).includes('Travel'));
    expect(title()).toContain('Expense');
    await workspace.submit({ user: 'U0CLEO', values: { Amount: '12.5' } });
    const [request] = await until(
      () => workspace.messages(channel)[0] && workspace.messages(channel),
    );
    expect(request?.text).toBe('<@U0CLEO> spent 12.5 on Travel');

    const { ts = '' } = request ?? {};
    await workspace.click({ user: 'U0DANA', channel, ts, label: 'Pay' });
    await until(() => workspace.ephemerals('U0DANA').length > 0);
    expect(workspace.messages(channel)).toMatchObject([
      { ts, text: '<@U0CLEO> spent 12.5 on Travel – paid by <@U0DANA>', edited: {} },
      { text: 'Paid.', user: 'U0APP' },
    ]);
    expect(workspace.visibleTo('U0CLEO', channel)).not.toContainEqual(
      expect.objectContaining({ text: 'Thank you.' }),
    );
  });
});

it('an app gets the error for a scope missing from its manifest', async () => {
  const manifest = `
features: { app_home: { home_tab_enabled: true } }
oauth_config: { scopes: { bot: [chat:write, app_mentions:read] } }
settings: { event_subscriptions: { bot_events: [app_mention] } }`;
  const { workspace, until } = await run(greeter, 'HTTP', { manifest });
  workspace.say({ user: 'U0ANA', channel, text: 'hello <@U0APP>' });
  const [call] = await until(
    () => workspace.calls('reactions.add')[0]?.error && workspace.calls('reactions.add'),
  );
  expect(call).toMatchObject({ ok: false, error: 'missing_scope' });
  // It did not subscribe to messages.
  expect(workspace.events().map(({ type }) => type)).toEqual(['app_mention']);
});
