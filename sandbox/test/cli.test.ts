import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { WebClient } from '@slack/web-api';
import { afterEach, describe, expect, it } from 'vitest';
import { startReceiver } from './receiver.ts';

const program = ['--import', 'tsx', fileURLToPath(new URL('../cli.ts', import.meta.url))];
const app = ['--app', 'http://localhost:3000/slack/events'];

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null) continue;
    child.kill('SIGTERM');
    await once(child, 'exit');
  }
});

/** Runs the command until it has printed everything, on a free port. */
async function run(
  ...words: readonly string[]
): Promise<{ said: string; log: () => string; child: ChildProcess }> {
  const child = spawn(process.execPath, [...program, '--port', '0', ...words], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  let said = '';
  child.stdout.on('data', (chunk) => {
    said += chunk;
  });
  await expect.poll(() => said).toContain('slackApiUrl');
  return { said, log: () => said, child };
}

/** The command's message for arguments that it refuses. */
async function refused(...words: readonly string[]): Promise<string> {
  const child = execFile(process.execPath, [...program, ...words]);
  let said = '';
  child.stderr?.on('data', (chunk) => {
    said += chunk;
  });
  const [code] = await once(child, 'close');
  expect(code).toBe(2);
  expect(said).toContain('slack-sandbox --help lists the options.');
  return said.split('\n')[0] ?? '';
}

it('refuses wrong arguments', async () => {
  expect(await refused(...app, '--socket-mode')).toBe('give --app or --socket-mode, not both');
});

it('prints what the app needs, and delivers to it', async () => {
  await using receiver = await startReceiver(() => ({ status: 200 }));
  const { said, log, child } = await run('--app', `${receiver.url}/slack/events`);
  expect(said).toContain(`delivers to ${receiver.url}/slack/events`);
  expect(said).toContain('SLACK_SIGNING_SECRET=sandbox-signing-secret');
  const [, token] = /^SLACK_BOT_TOKEN=(.*)$/m.exec(said) ?? [];
  const [, slackApiUrl = ''] = /slackApiUrl: '(.*)'/.exec(said) ?? [];
  const client = new WebClient(token, { slackApiUrl });
  expect(await client.auth.test()).toMatchObject({ user: 'your_app', user_id: 'U0APP' });
  const say = await fetch(new URL('/sandbox/v1/say', slackApiUrl), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: 'U0ANA', channel: 'C0DEPLOYS', text: 'hello' }),
  });
  expect(say.status).toBe(200);
  await expect.poll(() => receiver.received.length).toBe(1);
  expect(receiver.received[0]).toMatchObject({ path: '/slack/events' });
  await expect.poll(log).toMatch(/← auth\.test: ok\n→ event message: taken in \d+ ms\n/);
  await expect(client.chat.postMessage({ channel: 'C0NOBOT', text: 'Hello' })).rejects.toThrow();
  await expect.poll(log).toContain('← chat.postMessage: not_in_channel\n');
  const post = (more: object) =>
    client.apiCall('chat.postMessage', { channel: 'C0DEPLOYS', text: 'Hello', ...more });
  await expect(post({ blocks: [{ type: 'header' }] })).rejects.toThrow('invalid_blocks');
  await post({ parse: 'full' });
  await expect(client.apiCall('chat.postMassage')).rejects.toThrow('unknown_method');
  await expect.poll(log).toContain(
    `← chat.postMessage: invalid_blocks
    missing required field: text [json-pointer:/blocks/0]
← chat.postMessage: ok
    parse has no effect here
← chat.postMassage: unknown_method
    not imitated here: the README lists the methods
`,
  );
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(0);
});

describe('-- COMMAND', () => {
  const fixture = (name: string) => fileURLToPath(new URL(`child/${name}`, import.meta.url));
  /** Runs the command with an app. */
  const start = (...words: readonly string[]) => startWith([], ...words);
  const startWith = (flags: readonly string[], ...words: readonly string[]) => {
    const all = [...flags, ...program, '--port', '0', '--socket-mode', '--', ...words];
    const child = spawn(process.execPath, all, { stdio: ['ignore', 'pipe', 'pipe'] });
    children.push(child);
    let said = '';
    for (const output of [child.stdout, child.stderr]) {
      output.on('data', (chunk) => {
        said += chunk;
      });
    }
    return { child, said: () => said, ended: once(child, 'close') };
  };

  it('sends every call of Slack here, and hands on the exit code of the app', async () => {
    const { said, ended } = start('node', fixture('three-clients.mjs'));
    expect(await ended).toEqual([7, null]);
    for (const client of ['https', 'fetch', 'undici', 'other site']) {
      expect(said()).toContain(`${client}: true`);
    }
    expect(said().match(/← auth\.test: ok/g)).toHaveLength(3);
    expect(said()).toContain('← hooks.slack.com: unknown_method');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGQUIT', 'SIGUSR2'] as const)(
    'starts an app that knows no sandbox, and passes on %s',
    async (signal) => {
      const { child, said, ended } = start('node', fixture('hello.mjs'));
      await expect.poll(said).toContain('The app is connected (Socket Mode).');
      const [, url = ''] = /workspace is at (\S+)/.exec(said()) ?? [];
      await fetch(`${url}/sandbox/v1/say`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ user: 'U0ANA', channel: 'C0DEPLOYS', text: 'hello' }),
      });
      await expect.poll(said).toContain('← chat.postMessage: ok');
      child.kill(signal);
      // The app is asked to end, and does so by itself.
      expect(await ended).toEqual([3, null]);
      expect(said()).toContain(`the app was told ${signal}`);
    },
  );

  it('reports a command that does not exist, and one that a signal ended', async () => {
    const { said, ended } = start('no-such-program');
    expect(await ended).toEqual([127, null]);
    expect(said()).toContain(
      'no-such-program could not start: Error: spawn no-such-program ENOENT',
    );
    const dying = start('node', '-e', "process.kill(process.pid, 'SIGKILL')");
    expect(await dying.ended).toEqual([137, null]);
  });

  it('hands on the exit code of the app even if it cannot close itself', async () => {
    const broken = `import { Server } from 'node:http'; Server.prototype.close = () => { throw new Error('stuck'); };`;
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(broken)}`];
    const { said, ended } = startWith(flags, 'node', '-e', 'process.exit(4)');
    expect(await ended).toEqual([4, null]);
    expect(said()).toContain('The sandbox did not close: Error: stuck\n');
    expect(said()).not.toContain('could not start');
  });
});

it('accepts a manifest, people, channels and faults', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slack-sandbox-'));
  try {
    const manifest = join(folder, 'manifest.json');
    const scopes = { bot: ['chat:write', 'users:read', 'channels:read'] };
    const file = { display_information: { name: 'Lunch' }, oauth_config: { scopes } };
    await writeFile(manifest, JSON.stringify(file));
    const { said } = await run(
      ...['--socket-mode', '--manifest', manifest, '--users', 'Kim Lee,Pat Fox'],
      ...[
        '--channels',
        'general,random',
        '--fault',
        'refused,method=chat.postMessage,times=1,error=fatal_error',
      ],
    );
    expect(said).toContain('SLACK_APP_TOKEN=xapp-1-sandbox');
    const [, slackApiUrl = ''] = /slackApiUrl: '(.*)'/.exec(said) ?? [];
    const client = new WebClient('xoxb-sandbox', { slackApiUrl, retryConfig: { retries: 0 } });
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
    const post = () => client.chat.postMessage({ channel: '#general', text: 'Hello' });
    await expect(post()).rejects.toThrow('fatal_error');
    expect(await post()).toMatchObject({ channel: 'C0GENERAL' });
    await expect(client.conversations.history({ channel: 'C0GENERAL' })).rejects.toThrow(
      'missing_scope',
    );
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('reports that its port is taken', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const child = spawn(process.execPath, [...program, ...app, '--port', String(port)]);
  children.push(child);
  let said = '';
  child.stderr.on('data', (chunk) => {
    said += chunk;
  });
  expect((await once(child, 'close'))[0]).toBe(1);
  expect(said).toContain('the port is taken: choose another with --port');
  server.close();
});
