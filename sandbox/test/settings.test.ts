import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebClient } from '@slack/web-api';
import { describe, expect, it } from 'vitest';
import { readSettings, UsageError } from '../settings.ts';
import { startSlackSandbox } from '../start-slack-sandbox.ts';
import { silentLogger } from './slack-client.ts';

const app = ['--app', 'http://localhost:3000/slack/events'];

/** A manifest whose scopes are not a list. */
const wrong = fileURLToPath(new URL('wrong-manifest.yml', import.meta.url));

it.each<[string, readonly string[]]>([
  ['give --app URL or --socket-mode', []],
  ['give --app or --socket-mode, not both', [...app, '--socket-mode']],
  ['--app: "localhost:3000" is not an http(s) URL', ['--app', 'localhost:3000']],
  ['--commands: "x" is not an http(s) URL', [...app, '--commands', 'x']],
  ['give --events or --socket-mode, not both', ['--socket-mode', '--events', 'http://localhost']],
  ['give --app URL or --socket-mode', ['--commands', 'http://localhost:3000/commands']],
  ['-- has to be followed by the command', [...app, '--']],
  ['--port: "70000" is not a number from 0 to 65535', [...app, '--port', '70000']],
  ['--signing-secret is empty', [...app, '--signing-secret', ' ']],
  ['--users: "Kim,,Pat" has an empty name', [...app, '--users', 'Kim,,Pat']],
  ['--users: "kim" is given twice', [...app, '--users', 'Kim,kim']],
  ['--channels: "General" has to be lower-case', [...app, '--channels', 'General']],
  ['--fault: "broken" is not one of latency,', [...app, '--fault', 'broken']],
  ['--fault: "times=often" is not method=,', [...app, '--fault', '429,times=often']],
  ['--manifest: nowhere.yml: ENOENT', [...app, '--manifest', 'nowhere.yml']],
  ['not a manifest: oauth_config.scopes.bot: Invalid input', [...app, '--manifest', wrong]],
  ["Unknown option '--ap'", ['--ap', 'x']],
])('refuses: %s', async (words, given) => {
  const refusal = await readSettings(given).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(UsageError);
  expect(String(refusal).split('\n')[0]).toContain(words);
});

it('accepts a manifest, people, channels and faults', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slack-sandbox-'));
  try {
    const manifest = join(folder, 'manifest.json');
    const scopes = { bot: ['chat:write', 'users:read', 'channels:read'] };
    const file = { display_information: { name: 'Lunch' }, oauth_config: { scopes } };
    await writeFile(manifest, JSON.stringify(file));
    const settings = await readSettings([
      ...['--socket-mode', '--manifest', manifest, '--users', 'Kim Lee,Pat Fox', '--port', '0'],
      ...['--channels', 'general,random', '--fault'],
      'refused,method=chat.postMessage,times=1,error=fatal_error',
    ]);
    expect(settings).toMatchObject({
      requestUrl: null,
      manifest: JSON.stringify(file),
      port: 0,
      signingSecret: 'sandbox-signing-secret',
      hasTierLimits: false,
      faults: [{ kind: 'refused', method: 'chat.postMessage', times: 1, error: 'fatal_error' }],
    });
    if (settings === undefined) throw new Error('help was requested');
    const given = { ...settings, manifest: JSON.stringify(file) };
    await using sandbox = await startSlackSandbox(given);
    const { slackApiUrl, credentials } = sandbox;
    const client = new WebClient(credentials.botToken, { slackApiUrl, logger: silentLogger });
    expect(await client.auth.test()).toMatchObject({ user: 'lunch' });
    const { members = [] } = await client.users.list({});
    expect(members.map(({ id, is_admin }) => [id, is_admin])).toEqual([
      ['U0KIMLEE', true],
      ['U0PATFOX', false],
      ['U0APP', false],
    ]);
    const { channels = [] } = await client.conversations.list();
    expect(channels.map(({ name, is_member }) => [name, is_member])).toEqual([
      ['general', true],
      ['random', true],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe('addresses', () => {
  const manifest = fileURLToPath(new URL('three-urls.yml', import.meta.url));
  const here = 'http://localhost:3000';
  const urls = async (...words: readonly string[]) => (await readSettings(words))?.requestUrl;

  it('are all the one of the app', async () => {
    expect(await urls(...app)).toEqual({
      events: `${here}/slack/events`,
      interactivity: `${here}/slack/events`,
      options: `${here}/slack/events`,
      commands: `${here}/slack/events`,
      byCommand: {},
    });
  });

  it('are the paths of the manifest on the host of the app', async () => {
    expect(await urls(...app, '--manifest', manifest)).toEqual({
      // The manifest names none for events.
      events: `${here}/slack/events`,
      interactivity: `${here}/bot/interactions`,
      options: `${here}/bot/options?v=2`,
      commands: `${here}/slack/events`,
      byCommand: { '/deploy': `${here}/bot/deploy` },
    });
  });

  it('can be given one by one', async () => {
    const words = [
      '--interactivity',
      'http://localhost:4000/i',
      '--commands',
      'http://localhost:4000/c',
    ];
    expect(await urls(...app, '--manifest', manifest, ...words)).toEqual({
      events: `${here}/slack/events`,
      interactivity: 'http://localhost:4000/i',
      options: 'http://localhost:4000/i',
      commands: 'http://localhost:4000/c',
      byCommand: {},
    });
  });
});

it('starts the app with everything behind --', async () => {
  const settings = await readSettings(['--socket-mode', '--', 'node', 'app.js', '--port', '7']);
  expect(settings).toMatchObject({ port: 4100, command: ['node', 'app.js', '--port', '7'] });
  expect(await readSettings(['--socket-mode'])).not.toHaveProperty('command');
});

it('asks for nothing if help is requested', async () => {
  expect(await readSettings(['--help'])).toBeUndefined();
});
