import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { startSandbox } from '../sandbox/start-sandbox.ts';
import { readConfig } from '../src/app/configuration.ts';
import { newKey } from '../src/cli/keys.ts';
import { VARIABLES } from '../src/core/config/variables.ts';
import { system } from '../src/core/lib/system.ts';
import { runProgram } from './e2e/crash/run-program.ts';
import { botEnvironment } from './support/bot-config.ts';
import { withCommentedVolume } from './support/compose.ts';

/** What the Dockerfile does, without Docker: the built program and production packages. */

const read = (name: string) => readFile(new URL(`../${name}`, import.meta.url), 'utf8');

test('the program runs with only the files in its image, and the image has none of the sandbox', {
  // It copies all production packages.
  timeout: 300_000,
}, async () => {
  await using image = await makeImage();
  const { name } = JSON.parse(await read('sandbox/package.json'));
  const isThere = (each: string) => existsSync(join(image.path, 'node_modules', each));
  expect(['commander', name, 'preact', 'esbuild'].filter(isThere)).toEqual(['commander']);
  // Its folder is there beforehand, as in the image.
  const NODE_COMPILE_CACHE = join(image.path, 'compiled');
  await mkdir(NODE_COMPILE_CACHE);
  const [, compile = ''] = /^USER node\nRUN (node .+)$/m.exec(await read('Dockerfile')) ?? [];
  const compiling = ['-c', `cd '${image.path}' && ${compile}`];
  const PATH = `${dirname(process.execPath)}:${process.env.PATH}`;
  expect(await runProgram(compiling, { NODE_COMPILE_CACHE, PATH }, '/bin/sh').ended).toBe(0);
  const compiled = async () => (await readdir(NODE_COMPILE_CACHE, { recursive: true })).toSorted();
  const before = await compiled();
  await using sandbox = await startSandbox();
  const main = join(image.path, 'dist/main.js');
  const data = join(image.path, 'data');
  const env = botEnvironment(sandbox, { DATA_DIR: data, NODE_COMPILE_CACHE });
  await using bot = runProgram([main, 'start'], env);
  const ready = JSON.parse(await bot.line(/"msg":"ready"/));
  // Docker's readiness check.
  const [, check = '[]'] = /^HEALTHCHECK .*?CMD (\[.*\])$/m.exec(await read('Dockerfile')) ?? [];
  const [, ...words] = JSON.parse(check);
  const asks = (port: unknown) => runProgram(words, { PORT: String(port) }).ended;
  expect(await asks(new URL(ready.url).port)).toBe(0);
  expect(await asks(1)).toBe(1);
  // Everything that a start needs was compiled: older Node versions keep nothing.
  bot.kill('SIGTERM');
  expect(await bot.ended).toBe(0);
  expect(await compiled()).toEqual(before);
  expect(before.length > 0).toBe('enableCompileCache' in module);
  // Without Node and its system: what a pull of a new version costs.
  const { stdout } = await promisify(execFile)('du', ['-sm', image.path]);
  expect(Number.parseInt(stdout, 10)).toBeLessThan(110);
});

test('the image copies only files that exist, and the bot receives SIGTERM', async () => {
  const dockerfile = await read('Dockerfile');
  const [last] = dockerfile.split(/^FROM /m).slice(-1);
  expect(last).toMatch(/^USER node$/m);
  // In the shell form SIGTERM is not passed on.
  expect(last).toMatch(/^CMD \["node", "dist\/main.js", "start"\]$/m);
  const taken = (await read('.dockerignore')).match(/(?<=^!).+$/gm) ?? [];
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
    ([, names]) => names?.split(' ') ?? [],
  );
  expect([...new Set(copied)].toSorted()).toEqual(taken.toSorted());
  for (const name of copied.filter((each) => each.includes('.'))) await read(name);
});

const COMPOSE = ['compose.yaml', 'compose.simple.yaml'];

const compose = async (name: string) => parse(await read(name));

test('compose gives the bot a Redis that passes its strict check', async () => {
  const { services, volumes } = await compose('compose.yaml');
  expect(services.gatepost.environment).toEqual({
    REDIS_URL: 'redis://redis:6379',
    REDIS_CONFIRM: 'aof',
    REDIS_STRICT: '1',
  });
  expect(services.redis.command).toContain('--appendonly yes');
  expect(services.redis.command).toContain('--appendfsync always');
  expect(services.redis.command).toContain('--maxmemory-policy noeviction');
  // Whoever has an earlier version keeps the data: the volume has the same name and place.
  expect(services.redis.volumes).toEqual(['redis:/data']);
  expect(volumes).toEqual({ redis: null });
  // The bot starts when Redis answers.
  expect(services.gatepost.depends_on).toEqual({ redis: { condition: 'service_healthy' } });
  expect(services.redis.healthcheck).toMatchObject({ test: ['CMD', 'redis-cli', 'ping'] });
});

test('without Redis, compose gives the bot the volume where the image keeps its records', async () => {
  const { services, volumes } = await compose('compose.simple.yaml');
  const [, folder] = /^VOLUME (\S+)$/m.exec(await read('Dockerfile')) ?? [];
  expect(Object.keys(services)).toEqual(['gatepost']);
  expect(services.gatepost.environment).toEqual({ DATA_DIR: folder });
  expect(services.gatepost.volumes).toEqual([`data:${folder}`]);
  expect(volumes).toEqual({ data: null });
});

test.each(COMPOSE)('%s needs no edit', async (name) => {
  const { gatepost } = (await compose(name)).services;
  // Built from this clone, with the settings that gatepost setup writes.
  expect(gatepost).toMatchObject({
    ...{ build: '.', env_file: '.env' },
    ...{ read_only: true, cap_drop: ['ALL'], restart: 'unless-stopped' },
  });
  // Nothing beside the clone has to be there: Docker would make a folder of that name.
  const mounts: string[] = gatepost.volumes ?? [];
  expect(mounts.filter((volume) => /^[./~]/.test(volume))).toEqual([]);
  // It stops within 25 s, and its readiness check is the image's own.
  expect(gatepost.stop_grace_period).toBe('30s');
  expect(gatepost.healthcheck).toBeUndefined();
  expect(await read('Dockerfile')).toMatch(/^HEALTHCHECK .*\/readyz/m);
  const known = VARIABLES.map((row) => row.name);
  expect(known).toEqual(expect.arrayContaining(Object.keys(gatepost.environment)));
});

test.each(COMPOSE)(
  '%s: the settings pass, with the folder or the Redis of the file',
  async (name) => {
    const { environment } = (await compose(name)).services.gatepost;
    const own = {
      SLACK_BOT_TOKEN: 'xoxb-1',
      SLACK_SIGNING_SECRET: 'secret',
      GATEPOST_KEYS: newKey(system.random),
      GATEPOST_INTAKE_SECRET: 'intake',
      GATEPOST_CHANNEL: 'C0DEPLOYS',
      // As for a run without a container.
      DATA_DIR: './data',
    };
    const read = readConfig({ ...own, ...environment }, { command: 'start' });
    expect(read).toMatchObject({ ok: true });
    if (!read.ok) return;
    expect(read.config.store).toMatchObject(
      name === 'compose.yaml' ? { kind: 'redis' } : { kind: 'embedded', folder: '/data' },
    );
  },
);

test.each(COMPOSE)('%s: its comment mounts the rules, and is valid', async (name) => {
  const text = await read(name);
  const before = parse(text).services.gatepost;
  const { services } = parse(withCommentedVolume(text));
  const [, workdir] = /^WORKDIR (\S+)$/m.exec(await read('Dockerfile')) ?? [];
  const rules = `./gatepost.yaml:${workdir}/gatepost.yaml:ro`;
  expect(services.gatepost.volumes).toEqual([...(before.volumes ?? []), rules]);
  expect(text).toContain(`GATEPOST_CONFIG=${workdir}/gatepost.yaml`);
});

async function makeImage(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-image-'));
  const dispose = () => rm(path, { recursive: true, force: true });
  const { packages } = JSON.parse(await read('package-lock.json'));
  const isForDevelopment = (name: string) => {
    const { dev, devOptional, link } = packages[name] ?? {};
    return dev === true || devOptional === true || link === true;
  };
  await cp('package.json', join(path, 'package.json'));
  await cp('dist', join(path, 'dist'), { recursive: true });
  await cp('node_modules', join(path, 'node_modules'), {
    recursive: true,
    filter: (source) => !isForDevelopment(source),
  });
  return { path, [Symbol.asyncDispose]: dispose };
}
