import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { startSlackSandbox } from '../../start-slack-sandbox.ts';
import { startReceiver } from '../receiver.ts';
import { slackClient } from '../slack-client.ts';

const user = 'U0ANA';
const channel = 'C0DEPLOYS';

it('each kind of request arrives at its own address', async () => {
  await using app = await startReceiver(({ path }) => ({
    status: 200,
    body: path === '/options' ? '{"options":[]}' : '',
  }));
  const at = (path: string) => `${app.url}${path}`;
  const manifest = await readFile(new URL('../three-urls.yml', import.meta.url), 'utf8');
  await using sandbox = await startSlackSandbox({
    manifest,
    scopes: ['chat:write', 'commands', 'channels:history'],
    requestUrl: {
      events: at('/events'),
      interactivity: at('/interactivity'),
      options: at('/options'),
      commands: at('/commands'),
      byCommand: { '/deploy': at('/deploy') },
    },
  });
  const { workspace, until } = sandbox;
  const element = { type: 'external_select', action_id: 'what', min_query_length: 0 };
  const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };
  const blocks = [{ type: 'actions', elements: [element, button] }];
  const { ts = '' } = await slackClient(sandbox).chat.postMessage({ channel, text: 'a', blocks });
  await until(() => app.received.length === 1);
  await workspace.click({ user, channel, ts, actionId: 'go' });
  await workspace.suggest({ user, channel, ts, input: 'what', typed: '' });
  await workspace.command({ user, channel, text: '/deploy now' });
  await workspace.command({ user, channel, text: '/ask' });
  expect(app.received.map(({ path }) => path)).toEqual([
    '/events',
    '/interactivity',
    '/options',
    '/deploy',
    '/commands',
  ]);
});
