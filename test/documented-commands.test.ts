import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { startDemo } from '../sandbox/demo.ts';
import { runHere } from './cli/run-here.ts';
import { runProgram } from './e2e/crash/run-program.ts';
import { startRestartingBot } from './e2e/restarting-bot.ts';
import { botEnvironment } from './support/bot-config.ts';
import { withCommentedVolume } from './support/compose.ts';
import { canStartRedis, startRedisServer } from './support/redis.ts';
import { DEPLOYS } from './support/world.ts';

/** The commands in the documents that an operator should type, run unchanged. */

const run = promisify(execFile);
const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

/** The commands of a page's shell blocks, without comments. */
async function commandsIn(name: string): Promise<string[]> {
  const blocks = (await read(name)).matchAll(/^ *```sh\n([\s\S]*?)^ *```$/gm);
  return [...blocks].map(([, text = '']) => text.replaceAll(/^ {3}/gm, '').trim());
}

/** The only block of the page on operations with these words. */
async function command(words: string): Promise<string> {
  const found = (await commandsIn('docs/operations.md')).filter((text) => text.includes(words));
  expect(found, words).toHaveLength(1);
  return found[0] ?? '';
}

async function type(text: string, cwd: string, env: Readonly<Record<string, string>>) {
  const options = { cwd, env: { PATH: process.env.PATH ?? '', ...env }, timeout: 60_000 };
  return run('sh', ['-euc', text], options);
}

const ANA = 'U0ANA';
const newKeys = () => `k1:${randomBytes(32).toString('base64')}`;

async function emptyFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-backup-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

type Bot = Awaited<ReturnType<typeof startRestartingBot>>;

/** A request pending in the backup is decided on the restored store, and its audit log is intact. */
async function decidesAfter(
  bot: Bot,
  { ts, token }: { readonly ts: string; readonly token: string },
  env: Readonly<Record<string, string>>,
): Promise<void> {
  await bot.restart(env);
  await bot.click(ANA, ts, 'Approve');
  await bot.until(ts, /Approved by <@U0ANA>/);
  const { effects } = bot.sandbox.service.approval(token);
  expect(effects.map(({ action }) => action)).toEqual(['approve']);
  // Not two LMDB environments of one folder in one process: each would wait for the other forever.
  await bot.stop();
  const all = botEnvironment(bot.sandbox, env);
  const verified = await runHere(['audit', 'verify'], { env: all });
  expect(verified).toMatchObject({ code: 0 });
}

test('a waiting approval can be decided after the data folder is packed and unpacked as documented', async () => {
  await using bot = await startRestartingBot();
  await using place = await emptyFolder();
  const [data, restored] = [join(place.path, 'data'), join(place.path, 'restored')];
  const GATEPOST_KEYS = newKeys();
  await bot.restart({ DATA_DIR: data, GATEPOST_KEYS });
  const asked = await bot.ask();
  await bot.stop();
  await type(await command('tar -czf'), place.path, { DATA_DIR: data });
  await mkdir(restored);
  await type(await command('tar -xzf'), place.path, { DATA_DIR: restored });
  await rm(data, { recursive: true });
  await decidesAfter(bot, asked, { DATA_DIR: restored, GATEPOST_KEYS });
});

describe.skipIf(!(await canStartRedis()))('Redis', () => {
  test('a waiting approval can be decided in an empty Redis that was loaded from a snapshot, which then keeps an append-only file', async () => {
    await using bot = await startRestartingBot();
    await using place = await emptyFolder();
    const GATEPOST_KEYS = newKeys();
    const first = await startRedisServer({ appendonly: true });
    await bot.restart({ REDIS_URL: first.url, GATEPOST_KEYS });
    const asked = await bot.ask();
    await type(await command('--rdb'), place.path, { REDIS_URL: first.url });
    await bot.stop();
    await first.stop();
    const dir = join(place.path, 'redis');
    await mkdir(dir);
    await rename(join(place.path, 'gatepost.rdb'), join(dir, 'dump.rdb'));
    await using second = await startRedisServer({ dir, appendonly: false });
    const env = { REDIS_URL: second.url };
    const { stdout } = await type(await command('CONFIG SET appendonly'), place.path, env);
    expect(stdout).toBe('OK\n');
    await decidesAfter(bot, asked, { ...env, GATEPOST_KEYS });
  });
});

const ASKING = ['docs/asking.md', 'integrations/curl/README.md', 'integrations/agents/README.md'];

/** What a reader of the pages on asking has: a clone, the command, something to deploy. */
async function clone() {
  const place = await emptyFolder();
  const { pathname: root } = new URL('..', import.meta.url);
  const program = async (name: string, text: string) =>
    writeFile(join(place.path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  await symlink(join(root, 'integrations'), join(place.path, 'integrations'));
  await writeFile(join(place.path, 'plan.txt'), '+ replicas = 3\n');
  await program('deploy.sh', 'echo Deployed.');
  await program('gatepost', `exec '${process.execPath}' '${join(root, 'dist/main.js')}' "$@"`);
  return place;
}

test('every command of the pages on asking works in one shell, with the line that the demo prints', async () => {
  const demo = await startDemo({ patienceMs: 60_000 });
  await using place = await clone();
  try {
    const { workspace, service, until } = demo.sandbox;
    // Installing the command would change this clone, and what was asked here is decided, so nothing is withdrawn.
    const isRun = (text: string) => !/^(?:npm ci && npm pack|gatepost withdraw) /.test(text);
    const commands = (await Promise.all(ASKING.map(commandsIn))).flat();
    const [placeholder, ...blocks] = commands.filter(isRun);
    const [exported] = demo.commands();
    const names = (line = '') => line.replaceAll(/=\S+/g, '');
    expect(names(placeholder)).toBe(names(exported?.command));
    const typed = blocks.map((text, at) => `echo '# ${at}'\n${text}\nprintf '\\n= %s\\n' $?`);
    const { token } = service.createApproval({ prompt: 'Deploy 4.3?' });
    const PATH = `${place.path}:${process.env.PATH}`;
    const script = [`cd '${place.path}'`, exported?.command, ...typed].join('\n');
    await using shell = runProgram(['-uc', script], { PATH, TOKEN: token }, '/bin/sh');

    const pressed = new Set<string>();
    const waiting = () =>
      workspace
        .messages(DEPLOYS)
        .find(({ ts, blocks }) => !pressed.has(ts) && JSON.stringify(blocks).includes('"Approve"'));
    // One command asks and does not wait, and one asks nobody; each of the others waits for a press.
    for (const [at, what] of blocks.entries()) {
      if (what.endsWith('| tee request.json') || what.includes(' --check ')) continue;
      await shell.line(new RegExp(`^# ${at}$`));
      const { ts } = await until(waiting, { what });
      pressed.add(ts);
      await workspace.click({ user: 'U0ANA', channel: DEPLOYS, ts, label: 'Approve' });
    }
    expect(await shell.ended).toBe(0);
    const lines = shell.output.join('\n');
    const ends = shell.output.filter((line) => line.startsWith('= '));
    expect(ends, lines).toEqual(blocks.map(() => '= 0'));
    expect(lines).toContain('"status":"APPROVED"');
    expect(shell.output.filter((line) => line === 'Deployed.')).toHaveLength(3);
    expect(service.approval(token).status).toBe('APPROVED');
  } finally {
    await demo.stop();
  }
});

test('every shell block in the docs is valid shell', async () => {
  const pages = ['README.md', 'CONTRIBUTING.md', 'docs/setup.md', 'docs/operations.md', ...ASKING];
  const blocks = (await Promise.all(pages.map(commandsIn))).flat();
  expect(blocks.length).toBeGreaterThan(10);
  for (const text of blocks) await run('sh', ['-n', '-c', text]);
});

describe.each([
  ['bench', 'proof/bench/run.ts'],
  ['chaos', 'proof/chaos/run.ts'],
  ['demo', 'sandbox/demo.ts'],
  ['fuzz', 'proof/fuzz/run.ts'],
  ['simulate', 'proof/simulation/main.ts'],
])('npm run %s', (name, file) => {
  const words = [...['--import', 'tsx'], new URL(`../${file}`, import.meta.url).pathname];
  const usage = new RegExp(`^(Usage: )?npm run ${name} `);

  test('prints its usage with --help and ends with 0', async () => {
    const { stdout } = await run(process.execPath, [...words, '--help']);
    expect(stdout).toMatch(usage);
  });

  test('prints its usage for an unknown flag and ends with 2', async () => {
    const wrong = run(process.execPath, [...words, '--no-such-flag']);
    await expect(wrong).rejects.toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(usage),
    });
  });
});

/** The package called `gatepost` on the npm registry is somebody else's. */
test('no document runs or installs an npm package called gatepost from the registry', async () => {
  const docs = await readdir(new URL('../docs', import.meta.url));
  const pages = docs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`);
  for (const name of ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...pages]) {
    const fetched = /\b(npx|npm exec|npm i|npm install)( -\S+)* gatepost\b/.exec(await read(name));
    expect(fetched?.[0], name).toBeUndefined();
  }
});

const COMPOSE_FILES = ['compose.yaml', 'compose.simple.yaml'];

/** There may be no Docker here: its commands are compared with the files that they use. */
describe('the Docker commands of the documents', () => {
  const typed = async () =>
    (await Promise.all(DOCKER_PAGES.map(commandsIn)))
      .flat()
      .flatMap((text) => text.split('\n'))
      .filter((line) => line.startsWith('docker '));

  test('start services that exist, with flags that Compose has', async () => {
    const lines = await typed();
    expect(lines.length).toBeGreaterThan(1);
    for (const line of lines) {
      const [, file = 'compose.yaml'] = / --file (\S+)/.exec(line) ?? [];
      const { services } = parse(await read(file));
      const [, compose, verb = '', ...words] = line.replace(` --file ${file}`, '').split(' ');
      expect({ line, compose }).toEqual({ line, compose: 'compose' });
      expect({ line, flags: COMPOSE[verb] }).not.toEqual({ line, flags: undefined });
      const flags = words.filter((word) => word.startsWith('--'));
      expect({ line, unknown: flags.filter((flag) => !COMPOSE[verb]?.includes(flag)) }).toEqual({
        line,
        unknown: [],
      });
      const service = words.find((word) => !word.startsWith('--'));
      if (['exec', 'run'].includes(verb)) expect(Object.keys(services)).toContain(service);
    }
  });

  test('run doctor before the bot is started', async () => {
    const lines = (await commandsIn('docs/setup.md')).flatMap((text) => text.split('\n'));
    const doctor = lines.findIndex((line) => /^docker compose run .* doctor$/.test(line));
    expect(doctor).toBeGreaterThan(-1);
    expect(lines.findIndex((line) => line.startsWith('docker compose up'))).toBeGreaterThan(doctor);
  });

  test('run a program that the image has, and know its commands', async () => {
    const dockerfile = await read('Dockerfile');
    const [, folder] = /^WORKDIR (\S+)$/m.exec(dockerfile) ?? [];
    const [, program] = /^CMD \["node", "([^"]+)", "start"\]$/m.exec(dockerfile) ?? [];
    const inside = (await typed()).flatMap(
      (line) => / (?:exec|run --rm) \w+ node (.+)$/.exec(line)?.[1] ?? [],
    );
    expect(inside.length).toBeGreaterThan(0);
    for (const line of inside) {
      const [path, ...words] = line.split(' ');
      expect(path).toBe(program);
      expect(await runHere([...words, '--help'])).toMatchObject({ code: 0 });
    }
    // The file is mounted where the settings expect it.
    const [, config] = /GATEPOST_CONFIG=(\S+)/.exec(await read('docs/service.md')) ?? [];
    expect(config?.startsWith(`${folder}/`)).toBe(true);
    for (const file of COMPOSE_FILES) {
      const { services } = parse(withCommentedVolume(await read(file)));
      const mounted = services.gatepost.volumes.map((volume: string) => volume.split(':')[1]);
      expect(mounted, file).toContain(config);
    }
  });

  test.each(COMPOSE_FILES)('publish the default port of the image: %s', async (file) => {
    const { services } = parse(await read(file));
    const [, exposed] = /^EXPOSE (\d+)$/m.exec(await read('Dockerfile')) ?? [];
    const published = services.gatepost.ports.map((port: string) => port.split(':').at(-1));
    expect(published).toEqual([exposed]);
    const { VARIABLES } = await import('../src/core/config/variables.ts');
    const port = VARIABLES.find(({ name }) => name === 'PORT');
    expect(JSON.stringify(port)).toContain(exposed);
  });
});

const DOCKER_PAGES = ['README.md', 'docs/setup.md', 'docs/operations.md'];

/** The verbs and flags of Compose that the documents use. */
const COMPOSE: Readonly<Record<string, readonly string[]>> = {
  build: [],
  run: ['--rm'],
  up: ['--build', '--detach', '--wait'],
  exec: ['--no-TTY'],
  logs: ['--follow'],
};
