import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startSlackSandbox } from '../../sandbox/start-slack-sandbox.ts';
import { ALL, readManifest } from '../../src/cli/manifest.ts';
import { type RunOptions, runHere } from './run-here.ts';

let folder: string;
let sandbox: Awaited<ReturnType<typeof startSlackSandbox>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-check-'));
  sandbox = await startSlackSandbox({ manifest: await readManifest(null) });
});
afterEach(async () => {
  await sandbox.close();
  await rm(folder, { recursive: true });
});

const env = (more = {}) => ({
  DATA_DIR: folder,
  SLACK_API_URL: sandbox.slackApiUrl.replace(/\/$/, ''),
  SLACK_BOT_TOKEN: sandbox.credentials.botToken,
  ...more,
});

const check = (options: RunOptions = {}) =>
  runHere(['setup', '--check'], { env: env(), ...options });

interface Manifest {
  features: {
    slash_commands: { command: string; should_escape: boolean }[];
    shortcuts?: object[];
  };
  oauth_config: { scopes: { bot: string[] } };
  settings: { event_subscriptions: { bot_events: string[] } };
}

/** Notes the manifest that the app was made from, as the setup does. */
async function given(change: (manifest: Manifest) => void, text?: string) {
  const manifest: Manifest = parse(text ?? (await readManifest(null)));
  change(manifest);
  await writeFile(join(folder, 'slack-app.json'), JSON.stringify(manifest));
  return manifest;
}

const older = (manifest: Manifest) => {
  const [first] = manifest.features.slash_commands;
  if (first !== undefined) first.should_escape = false;
  manifest.settings.event_subscriptions.bot_events = ['app_home_opened', 'message.im'];
  manifest.oauth_config.scopes.bot = manifest.oauth_config.scopes.bot.filter(
    (scope) => scope !== 'im:history',
  );
};

const CHANGES = [
  '+ command /approvals (should_escape)',
  '- command /approvals',
  '+ event channel_unarchive',
  '+ event group_unarchive',
  '+ event member_joined_channel',
  '+ event user_change',
  '- event message.im',
  '+ scope im:history',
];

describe('gatepost setup --check', () => {
  test('lists what this version changes, with what to paste and where', async () => {
    await given(older);
    const { code, out, err } = await check();
    expect(out.trimEnd().split('\n')).toEqual(CHANGES);
    expect(code).toBe(1);
    expect(err).toContain(`${sandbox.url}/apps`);
    expect(err).toMatch(/gatepost manifest --socket\nprints, then reinstall the app\.$/m);
  });

  test('notes in a terminal that it was pasted', async () => {
    await given(older);
    expect(await check({ types: 'n' })).toMatchObject({ code: 1 });
    expect(await check({ types: 'y' })).toMatchObject({ code: 0 });
    const noted = JSON.parse(await readFile(join(folder, 'slack-app.json'), 'utf8'));
    expect(noted).toEqual(parse(await readManifest(null)));
    expect(await check()).toEqual({ code: 0, out: 'The app is up to date.\n', err: '' });
  });

  test('takes no lock and makes no folder where it only reads', async () => {
    const note = JSON.stringify({ pid: process.pid, startedAt: null });
    await writeFile(join(folder, '.env.setup'), note);
    await given(older);
    expect(await check({ types: 'n' })).toMatchObject({ code: 1 });
    const { err } = await check({ types: 'y' });
    expect(err).toContain('Another gatepost setup writes');
    const data = join(folder, 'data');
    await check({ env: env({ DATA_DIR: data }), types: 'n' });
    await expect(readdir(data)).rejects.toThrow('ENOENT');
  });

  test('compares with the features and the address that the app has', async () => {
    const few = await readManifest('https://bot.example.com', ['approvals', 'accounts']);
    await given(() => {}, few);
    expect(await check()).toMatchObject({ code: 0, out: 'The app is up to date.\n' });
    await given(older, few);
    const { err } = await check();
    const words = '--url https://bot.example.com --features approvals,accounts';
    expect(err).toContain(`gatepost manifest ${words}\n`);
    expect(ALL).toContain('tasks');
  });

  test('says which scopes Slack has not granted, also where nothing is noted', async () => {
    await sandbox.close();
    const scopes = ['chat:write', 'commands'];
    sandbox = await startSlackSandbox({ manifest: await readManifest(null), scopes });
    const { code, out, err } = await check();
    expect(code).toBe(1);
    expect(out).toContain('+ scope im:history (not granted)\n');
    expect(err).toMatch(/^There is no slack-app\.json beside .*only the scopes were compared/);
  });

  test('is a row of doctor', async () => {
    await given(older);
    const { out } = await runHere(['doctor', '--json'], { env: env() });
    const { checks } = JSON.parse(out);
    expect(checks).toContainEqual({
      id: 'manifest',
      ok: true,
      detail: `this version changes the app: ${CHANGES.join(', ')}. Commands, events and buttons that Slack does not send show only when used`,
      fix: 'Run gatepost setup --check, and paste the manifest.',
    });
  });

  test('is a warning of doctor if the noted manifest cannot be read', async () => {
    await symlink('slack-app.json', join(folder, 'slack-app.json'));
    const { out } = await runHere(['doctor', '--json'], { env: env() });
    expect(JSON.parse(out).checks).toContainEqual({
      id: 'manifest',
      ok: true,
      detail: expect.stringMatching(
        /^not compared: \/.*\/slack-app\.json cannot be read \(ELOOP\)\. /,
      ),
      fix: 'Let the user who runs Gatepost read it.',
    });
  });
});

test('without a terminal the setup names the variables, and ends with 2', async () => {
  const { code, out, err } = await runHere(['setup'], { env: env() });
  expect({ code, out }).toEqual({ code: 2, out: '' });
  for (const name of ['SLACK_BOT_TOKEN', 'SLACK_APP_TOKEN', 'GATEPOST_KEYS', 'GATEPOST_CHANNEL']) {
    expect(err).toContain(name);
  }
});

test('wrong arguments are refused before anything is asked', async () => {
  for (const [words, said] of [
    ['--http bot.example.com', 'must be an address'],
    ['--http http://bot.example.com', 'must begin with https://'],
    ['--features approval', 'Did you mean approvals?'],
    ['--check --print', 'cannot be used'],
  ] as const) {
    const { code, err } = await runHere(['setup', ...words.split(' ')], { types: 'n' });
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(said) });
  }
});
