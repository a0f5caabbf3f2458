import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startSandbox } from '../../start-sandbox.ts';
import { startSlackSandbox } from '../../start-slack-sandbox.ts';
import { readManifest } from '../../workspace/manifest.ts';
import { webMethods } from '../../workspace/web-api.ts';
import { startReceiver } from '../receiver.ts';
import { slackClient } from '../slack-client.ts';
import { coverage } from './coverage.ts';

describe('the manifest', () => {
  it('is the project’s manifest by default', async () => {
    const file = await readFile(new URL('../../../manifest.yml', import.meta.url), 'utf8');
    const { scopes } = readManifest(file);
    expect(scopes).toEqual(parse(file).oauth_config.scopes.bot);
    await using sandbox = await startSandbox();
    const { response_metadata } = await slackClient(sandbox).auth.test();
    expect(response_metadata?.scopes).toEqual(scopes);
    expect(sandbox.workspace.manifest).toEqual(readManifest(file));
  });

  it('of the project subscribes only to events that the workspace sends', async () => {
    await using sandbox = await startSandbox();
    const { events } = sandbox.workspace.manifest;
    const known: readonly string[] = coverage.events;
    expect(events.filter((event) => !known.includes(event.split('.')[0] ?? ''))).toEqual([]);
  });

  it('without a setting has Slack’s default', async () => {
    const bare = readManifest('oauth_config: { scopes: { bot: [chat:write] } }');
    expect(bare).toEqual({
      appName: 'Your app',
      botName: 'Your app',
      takesAnyCommand: false,
      scopes: ['chat:write'],
      commands: [],
      shortcuts: [],
      events: [],
      metadataTypes: [],
      homeTab: false,
      messagesTab: 'open',
      interactive: false,
      optionsUrl: false,
      urls: { commands: {} },
    });
  });

  it('can disallow messages to the app', async () => {
    const manifest = `
oauth_config: { scopes: { bot: [chat:write] } }
features: { app_home: { messages_tab_read_only_enabled: true } }`;
    await using sandbox = await startSandbox({ manifest });
    const say = () => sandbox.workspace.say({ user: 'U0ANA', channel: 'D0ANA', text: 'Hello' });
    expect(say).toThrow('The app takes no messages.');
    const posted = await slackClient(sandbox).chat.postMessage({ channel: 'U0ANA', text: 'Hello' });
    expect(posted).toMatchObject({ ok: true });
  });

  it('is refused if it is invalid', async () => {
    await expect(startSandbox({ manifest: 'features: 1' })).rejects.toThrow('expected object');
  });
});

describe('an app without a manifest', () => {
  it('has the scopes of every method and event', async () => {
    await using sandbox = await startSlackSandbox();
    const { scopes } = sandbox.workspace.manifest;
    const asked = Object.values(webMethods).flatMap(({ scope }) => scope ?? []);
    expect(asked.filter((scope) => !scopes.includes(scope))).toEqual([]);
    const types = 'public_channel,private_channel,im,mpim';
    expect(await slackClient(sandbox).conversations.list({ types })).toMatchObject({ ok: true });
  });

  it('gets every command and every event', async () => {
    await using app = await startReceiver(() => ({ status: 200 }));
    await using sandbox = await startSlackSandbox({ requestUrl: app.url });
    const { workspace } = sandbox;
    const where = { user: 'U0ANA', channel: 'C0DEPLOYS' };
    const typed = await workspace.command({ ...where, text: '/whatever now' });
    expect(typed).toMatchObject({ sent: true, acknowledged: true, shown: null });
    expect(await workspace.command({ ...where, text: '/' })).toMatchObject({ sent: false });
    workspace.say({ ...where, text: '<@U0APP> hello' });
    expect(workspace.events().map(({ type }) => type)).toEqual(['message', 'app_mention']);
  });
});
