import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnv } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { SlackSandbox } from '../../../sandbox/slack-sandbox.ts';
import { startSlackSandbox } from '../../../sandbox/start-slack-sandbox.ts';
import { type Program, runProgram } from '../../e2e/crash/run-program.ts';

/** What `slack run` does with a clone, by the protocol of Slack's command line. */

const CHANNEL = 'C0DEPLOYS';
const ROOT = new URL('../../..', import.meta.url).pathname;

/** What a clone has that the hooks use, after `npm ci`. */
const CLONED = ['.slack', 'ask', 'scripts', 'src', 'manifest.yml', 'package.json', 'tsconfig.json'];

let sandbox: SlackSandbox;
let clone: string;
let running: Program[];
beforeEach(async () => {
  sandbox = await startSlackSandbox({
    isInstalled: false,
    requestUrl: null,
    // As Slack does, but sooner and more often: until the next run is there.
    eventRetriesMs: Array.from({ length: 240 }, () => 500),
  });
  clone = await mkdtemp(join(tmpdir(), 'gatepost-clone-'));
  for (const name of CLONED) await cp(join(ROOT, name), join(clone, name), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(clone, 'node_modules'));
  running = [];
});
afterEach(async () => {
  for (const each of running) await each[Symbol.asyncDispose]();
  await sandbox.close();
  await rm(clone, { recursive: true, force: true });
});

const DEV_FILE = '.gatepost-dev.env';
const devFile = async () => parseEnv(await readFile(join(clone, DEV_FILE), 'utf8'));

/** The shell and its words for a hook: split at blanks, what is appended behind it, joined again. */
async function hookWords(name: string, appended: readonly string[] = []) {
  const { hooks } = JSON.parse(await readFile(join(clone, '.slack/hooks.json'), 'utf8'));
  return ['-c', [...String(hooks[name]).split(/\s+/), ...appended].join(' ')];
}

const PATH = `${join(process.execPath, '..')}:${process.env.PATH}`;

/** All of its standard output, if it succeeds. Nothing but that is read. */
async function hookOutput(appended: readonly string[]): Promise<string> {
  const words = await hookWords('get-manifest', appended);
  const env = { PATH, SLACK_ENV: 'local', SLACK_WORKSPACE: 'acme' };
  const child = spawn('/bin/sh', words, { cwd: clone, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const output = await text(child.stdout);
  if (child.exitCode === null) await once(child, 'close');
  expect(child.exitCode).toBe(0);
  return output;
}

/** Makes the app of the manifest, named as `slack run` names it, and returns its tokens. */
async function installApp() {
  const output = await hookOutput([`--source=${clone}`]);
  const manifest = JSON.parse(output.slice(output.indexOf('{')));
  manifest.display_information.name += ' (local)';
  const body = new URLSearchParams({ manifest_json: JSON.stringify(manifest) });
  const page = await (await fetch(`${sandbox.url}/apps`, { method: 'POST', body })).text();
  const shown = (id: string) => new RegExp(`id="${id}">([^<]+)<`).exec(page)?.[1] ?? page;
  return { bot: shown('bot-token'), app: shown('app-token') };
}

type Tokens = Awaited<ReturnType<typeof installApp>>;

/** Starts the hook as Slack's command line does, without standard input. */
async function slackRun(
  { bot, app }: Tokens,
  { shell = '/bin/sh' }: { readonly shell?: string } = {},
): Promise<Program> {
  const env = {
    PATH,
    ...{ SLACK_CLI_XOXB: bot, SLACK_CLI_XAPP: app, SLACK_BOT_TOKEN: bot, SLACK_APP_TOKEN: app },
    SLACK_API_URL: sandbox.slackApiUrl,
    SLACK_ENV: 'local',
    ...{ HOST: '127.0.0.1', PORT: '0', LOG_FORMAT: 'json' },
  };
  const program = runProgram(await hookWords('start'), env, shell, clone);
  running.push(program);
  return program;
}

const facts = async (program: Program, message: RegExp) => JSON.parse(await program.line(message));
const said = (program: Program) => program.output.join('\n');
const WAITING = /waiting for an invitation/;
const READY = /"msg":"ready"/;

/** An invitation of Ana's leads to a running bot. */
async function invited(tokens: Tokens) {
  const program = await slackRun(tokens);
  await program.line(WAITING);
  sandbox.workspace.inviteBot(CHANNEL, 'U0ANA');
  const { url } = await facts(program, READY);
  return { program, url: String(url) };
}

test('get-manifest gives one JSON document without addresses, for Socket Mode', async () => {
  const plain = await hookOutput([`--source=${clone}`]);
  const manifest = JSON.parse(plain);
  expect(manifest.settings.socket_mode_enabled).toBe(true);
  expect(plain).not.toMatch(/https?:|_url"/);
  const boundary = 'a'.repeat(64);
  const bound = await hookOutput([
    `--source=${clone}`,
    '--protocol=message-boundaries',
    `--boundary=${boundary}`,
    '--later=unknown',
  ]);
  const [before, inside = '', after] = bound.split(boundary);
  expect([before, after]).toEqual(['', '']);
  expect(JSON.parse(inside)).toEqual(manifest);
});

test('the first invitation that can decide leads to the first approval', async () => {
  const tokens = await installApp();
  const { workspace } = sandbox;
  const program = await slackRun(tokens);
  await program.line(WAITING);
  // The key and the secret are there before anybody is waited for.
  const made = await devFile();
  workspace.share('C0OUTCOMES');
  workspace.inviteBot('C0OUTCOMES', 'U0ANA');
  await program.line(/#releases is shared with another company/);
  workspace.inviteBot('C0OLD', 'U0ANA');
  await program.line(/#old-deployments is archived/);
  workspace.inviteBot('C0NOBOT', 'U0GUS');
  await program.line(/Gus is a guest in Slack and cannot decide/);
  workspace.inviteBot(CHANNEL, 'U0ANA');
  expect(await facts(program, /is now the reviewer of this channel/)).toMatchObject({
    ...{ level: 40, name: 'Ana', user: 'U0ANA' },
    ...{ channel: CHANNEL, channelName: '#deployments' },
  });
  const { url } = await facts(program, READY);
  expect(await facts(program, /settings for development/)).toMatchObject({
    ...{ level: 40, channel: CHANNEL, reviewers: 'U0ANA' },
    file: expect.stringContaining(DEV_FILE),
  });

  const file = await devFile();
  expect(file).toEqual({
    ...made,
    GATEPOST_KEYS: expect.stringMatching(/^k\w+:/),
    GATEPOST_INTAKE_SECRET: expect.stringMatching(/^[\w-]{32}$/),
    DATA_DIR: './data/slack-run',
    GATEPOST_CHANNEL: CHANNEL,
    GATEPOST_REVIEWERS: 'U0ANA',
  });
  expect((await stat(join(clone, DEV_FILE))).mode & 0o777).toBe(0o600);
  const { GATEPOST_KEYS = '', GATEPOST_INTAKE_SECRET: secret = '' } = file;
  for (const hidden of [tokens.bot, tokens.app, GATEPOST_KEYS, secret])
    expect(said(program)).not.toContain(hidden);

  // Later invitations change nothing.
  const before = await readFile(join(clone, DEV_FILE), 'utf8');
  workspace.createChannel('C0LATER', ['U0BEN']);
  workspace.inviteBot('C0LATER', 'U0BEN');
  const answer = await fetch(`${url}/v1/approvals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ key: 'first', title: 'Deploy' }),
  });
  expect(answer.status).toBe(202);
  const shown = () => workspace.messages(CHANNEL).at(0);
  await sandbox.until(() => shown()?.text.includes('Deploy'));
  const press = (user: string) =>
    workspace.click({ user, channel: CHANNEL, ts: shown()?.ts ?? '', label: 'Approve' });
  await press('U0BEN');
  await press('U0ANA');
  await sandbox.until(() => shown()?.text.startsWith('Approved'));
  expect(JSON.stringify(shown())).toContain('Approved by <@U0ANA>');
  expect(await readFile(join(clone, DEV_FILE), 'utf8')).toBe(before);
});

test.each(['/bin/sh', '/bin/bash'])('it stops when the shell %s is told to', async (shell) => {
  const tokens = await installApp();
  await writeFile(join(clone, '.env'), `GATEPOST_CHANNEL=${CHANNEL}\nGATEPOST_REVIEWERS=U0BEN\n`);
  const program = await slackRun(tokens, { shell });
  await program.line(READY);
  // At the end, and when a watched file changes. Only the shell gets it, and some shells do not pass it on.
  program.kill('SIGINT');
  await Promise.race([program.ended, sleep(5_000)]);
  program.kill('SIGKILL');
  // Its output is closed once the bot has ended too.
  await program.ended;
  expect(said(program)).toContain('"msg":"stopping"');
});

test('it goes on where it was killed, and asks for no second invitation', async () => {
  const tokens = await installApp();
  const early = await slackRun(tokens);
  await early.line(WAITING);
  const keys = (await devFile()).GATEPOST_KEYS;
  await early[Symbol.asyncDispose]();
  const first = await invited(tokens);
  const file = await devFile();
  expect(file).toMatchObject({ GATEPOST_KEYS: keys, GATEPOST_REVIEWERS: 'U0ANA' });
  await first.program[Symbol.asyncDispose]();

  const second = await slackRun(tokens);
  await second.line(READY);
  expect(said(second)).not.toMatch(WAITING);
  expect(said(second)).toContain('settings for development are in use');
  expect(await devFile()).toEqual(file);
  await second[Symbol.asyncDispose]();
  // Only locks of what was killed may be left, and git ignores them.
  const left = (await readdir(clone)).filter((name) => name.startsWith('.gatepost'));
  const ignored = /^\.gatepost-dev\.env/;
  expect(left.filter((name) => !ignored.test(name))).toEqual([]);
});

test('an invitation that was killed before it was kept arrives again', async () => {
  const tokens = await installApp();
  const { workspace } = sandbox;
  const first = await slackRun(tokens);
  await first.line(WAITING);
  // While it is found out who invited it.
  workspace.fault({ method: 'users.info', kind: 'latency', until: new Promise(() => {}) });
  workspace.inviteBot(CHANNEL, 'U0ANA');
  await sandbox.until(() => workspace.calls('users.info').length > 0);
  await first[Symbol.asyncDispose]();
  expect((await devFile()).GATEPOST_CHANNEL).toBeUndefined();
  workspace.clearFaults();
  const second = await slackRun(tokens);
  await second.line(READY);
  expect(await devFile()).toMatchObject({ GATEPOST_CHANNEL: CHANNEL, GATEPOST_REVIEWERS: 'U0ANA' });
});

test('whose invitation it is has to be known', async () => {
  const tokens = await installApp();
  const { workspace } = sandbox;
  workspace.inviteBot(CHANNEL, 'U0ANA');
  const program = await slackRun(tokens);
  expect(await facts(program, WAITING)).toMatchObject({ isIn: ['#deployments'] });
  expect((await devFile()).GATEPOST_CHANNEL).toBeUndefined();
});

test('who is configured to decide stays, and no invitation is waited for', async () => {
  const tokens = await installApp();
  const own = `GATEPOST_CHANNEL=${CHANNEL}\nGATEPOST_REVIEWERS=U0BEN\nSLACK_BOT_TOKEN_FILE=/nowhere\nSLACK_SIGNING_SECRET=${'a'.repeat(32)}\n`;
  await writeFile(join(clone, '.env'), own);
  const program = await slackRun(tokens);
  await program.line(READY);
  expect(said(program)).not.toMatch(WAITING);
  const { GATEPOST_CHANNEL, GATEPOST_REVIEWERS } = await devFile();
  expect([GATEPOST_CHANNEL, GATEPOST_REVIEWERS]).toEqual([undefined, undefined]);
  expect(await readFile(join(clone, '.env'), 'utf8')).toBe(own);
});

test('outside slack run nothing of it counts', async () => {
  const tokens = await installApp();
  const { program } = await invited(tokens);
  await program[Symbol.asyncDispose]();
  // The hook needs what only Slack's command line hands over.
  const tokensAlone = { SLACK_BOT_TOKEN: tokens.bot, SLACK_APP_TOKEN: tokens.app };
  await using hook = runProgram(
    await hookWords('start'),
    { PATH, ...tokensAlone },
    '/bin/sh',
    clone,
  );
  expect(await hook.ended).toBe(1);
  expect(said(hook)).toContain('(SLACK_CLI_XOXB, SLACK_CLI_XAPP), and one is missing');
  // And start does not read the file.
  const words = ['--import', 'tsx', 'src/main.ts', 'start'];
  const env = { PATH, ...tokensAlone, SLACK_API_URL: sandbox.slackApiUrl };
  await using start = runProgram(words, env, process.execPath, clone);
  expect(await start.ended).toBe(2);
  expect(said(start)).toMatch(/GATEPOST_KEYS +is required/);
});

test('a token that Slack does not take ends it with a sentence', async () => {
  const tokens = await installApp();
  const program = await slackRun({ ...tokens, bot: 'xoxb-revoked' });
  expect(await program.ended).toBe(1);
  expect(said(program)).toMatch(/SLACK_BOT_TOKEN/);
});
