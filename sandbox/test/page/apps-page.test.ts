import { afterEach, expect, it } from 'vitest';
import type { SlackSandbox } from '../../slack-sandbox.ts';
import { startSlackSandbox } from '../../start-slack-sandbox.ts';
import { slackClient } from '../slack-client.ts';

let sandbox: SlackSandbox | undefined;
afterEach(() => sandbox?.close());

const manifest = JSON.stringify({
  display_information: { name: 'Tryout <b>' },
  features: { bot_user: { display_name: 'Tryout' } },
  oauth_config: { scopes: { bot: ['chat:write', 'users:read'] } },
  settings: { event_subscriptions: { bot_events: ['member_joined_channel'] } },
});

async function start() {
  sandbox = await startSlackSandbox({ isInstalled: false, requestUrl: null });
  return sandbox;
}

const create = ({ url }: SlackSandbox, text: string, headers = {}) =>
  fetch(`${url}/apps`, {
    method: 'POST',
    headers,
    body: new URLSearchParams({ manifest_json: text }),
  });

it('creates and installs the app of a link, and shows its credentials', async () => {
  const made = await start();
  const { url, workspace, credentials } = made;
  const review = await fetch(`${url}/apps?new_app=1&manifest_json=${encodeURIComponent(manifest)}`);
  expect(await review.text()).toContain('Create and Install');
  expect(workspace.manifest.appName).not.toContain('Tryout');

  const page = await (await create(made, manifest)).text();
  expect(page).toContain('Your app credentials: Tryout &#60;b&#62;');
  for (const secret of Object.values(credentials)) expect(page).toContain(`>${secret}</code>`);
  expect(workspace.manifest).toMatchObject({
    botName: 'Tryout',
    events: ['member_joined_channel'],
  });
  expect(workspace.user('U0APP')?.real_name).toBe('Tryout');
  // It was not invited anywhere yet.
  expect(workspace.channels().filter(({ members }) => members.has('U0APP'))).toEqual([]);
});

it('refuses its tokens before, and once it is removed', async () => {
  const made = await start();
  const error = async (method: string, token?: string) => {
    try {
      await slackClient(made, token).apiCall(method);
      return null;
    } catch (failure) {
      return failure instanceof Error && 'data' in failure ? failure.data : failure;
    }
  };
  const open = () => error('apps.connections.open', made.credentials.appToken);
  expect(await error('auth.test')).toMatchObject({ error: 'invalid_auth' });
  expect(await open()).toMatchObject({ error: 'invalid_auth' });
  await create(made, manifest);
  expect(await error('auth.test')).toBeNull();
  expect(await open()).toBeNull();
  expect(await error('conversations.list')).toMatchObject({ error: 'missing_scope' });
  made.workspace.app.revoke();
  expect(await error('auth.test')).toMatchObject({ error: 'token_revoked' });
  expect(await open()).toMatchObject({ error: 'token_revoked' });
});

it('says what is wrong with a manifest, and creates nothing for other sites', async () => {
  const made = await start();
  expect(await (await create(made, 'nonsense')).text()).toContain('We can’t create this app');
  const foreign = await create(made, manifest, { origin: 'https://elsewhere.example' });
  expect(foreign.status).toBe(403);
  expect(made.workspace.manifest.appName).not.toContain('Tryout');
});
