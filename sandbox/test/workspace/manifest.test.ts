import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { startSandbox } from '../../start-sandbox.ts';
import { readManifest } from '../../workspace/manifest.ts';
import { slackClient } from '../slack-client.ts';
import { coverage } from './coverage.ts';

describe('the manifest', () => {
  it('is that of the project unless another is given', async () => {
    const file = await readFile(new URL('../../../manifest.yml', import.meta.url), 'utf8');
    const { scopes } = await readManifest();
    expect(scopes).toEqual(parse(file).oauth_config.scopes.bot);
    await using sandbox = await startSandbox();
    const { response_metadata } = await slackClient(sandbox).auth.test();
    expect(response_metadata?.scopes).toEqual(scopes);
    expect(sandbox.workspace.manifest).toEqual(await readManifest(file));
  });

  it('of the project asks for events that the workspace tells of', async () => {
    const { events } = await readManifest();
    const known: readonly string[] = coverage.events;
    expect(events.filter((event) => !known.includes(event.split('.')[0] ?? ''))).toEqual([]);
  });

  it('that says little leaves the rest as Slack does', async () => {
    const bare = await readManifest('oauth_config: { scopes: { bot: [chat:write] } }');
    expect(bare).toEqual({
      scopes: ['chat:write'],
      commands: [],
      shortcuts: [],
      events: [],
      homeTab: false,
      messagesTab: 'open',
      interactive: false,
      optionsUrl: false,
    });
  });

  it('may forbid people to write to the app', async () => {
    const manifest = `
oauth_config: { scopes: { bot: [chat:write] } }
features: { app_home: { messages_tab_read_only_enabled: true } }`;
    await using sandbox = await startSandbox({ manifest });
    const say = () => sandbox.workspace.say({ user: 'U0ANA', channel: 'D0ANA', text: 'Hello' });
    expect(say).toThrow('The app takes no messages.');
    const posted = await slackClient(sandbox).chat.postMessage({ channel: 'U0ANA', text: 'Hello' });
    expect(posted).toMatchObject({ ok: true });
  });

  it('that is none is refused', async () => {
    await expect(startSandbox({ manifest: 'features: 1' })).rejects.toThrow('expected object');
  });
});
