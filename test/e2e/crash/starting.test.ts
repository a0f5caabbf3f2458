import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import { describe, expect, test, vi } from 'vitest';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { startApp } from '../../../src/app/app.ts';
import { readConfig } from '../../../src/app/configuration.ts';
import { createLogger } from '../../../src/app/logger.ts';
import { system } from '../../../src/core/lib/system.ts';
import { systemTimers, type Timers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createEmbeddedStore } from '../../../src/core/store/embedded/create-embedded-store.ts';
import { openStore as openRealStore } from '../../../src/core/store/open-store.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import { noteForm } from '../../core/store/embedded-world.ts';
import { botEnvironment } from '../../support/bot-config.ts';
import { canStartRedis, startRedisServer } from '../../support/redis.ts';
import { runProgram } from './run-program.ts';

vi.setConfig({ maxConcurrency: 8, testTimeout: 120_000 });

const START = ['dist/main.js', 'start'];
const DEMO = ['--import', 'tsx', 'sandbox/demo.ts'];

describe.concurrent('start', () => {
  test.each([
    [
      'a port that is taken',
      ({ port }: Trouble) => ({ PORT: `${port}` }),
      ({ port }: Trouble) =>
        `Port ${port} is taken at 127.0.0.1. Stop the program that uses it, or set PORT to another port.`,
      'EADDRINUSE',
    ],
    [
      'an address that is not its own',
      () => ({ HOST: '192.0.2.1' }),
      () =>
        '192.0.2.1 is not an address of this machine (EADDRNOTAVAIL). Set HOST to one of its addresses, or to 0.0.0.0 for all of them.',
      'EADDRNOTAVAIL',
    ],
    [
      'a folder that is a file',
      ({ file }: Trouble) => ({ DATA_DIR: file }),
      ({ file }: Trouble) =>
        `Gatepost cannot use the data folder ${file}: it, or something on its path, is not a folder (EEXIST). Make it a folder that this user can write to, or set DATA_DIR to another one.`,
      'unavailable',
    ],
    [
      'a folder in what is a file',
      ({ file }: Trouble) => ({ DATA_DIR: `${file}/data` }),
      ({ file }: Trouble) =>
        `Gatepost cannot use the data folder ${file}/data: it, or something on its path, is not a folder (EEXIST). Make it a folder that this user can write to, or set DATA_DIR to another one.`,
      'unavailable',
    ],
    [
      'a folder that cannot be made',
      ({ nowhere }: Trouble) => ({ DATA_DIR: nowhere }),
      ({ nowhere }: Trouble) =>
        `Gatepost cannot use the data folder ${nowhere}: it, or something on its path, is not a folder (EEXIST). Make it a folder that this user can write to, or set DATA_DIR to another one.`,
      'unavailable',
    ],
    [
      'a Redis that is away',
      () => ({ REDIS_URL: 'redis://:geheim@127.0.0.1:1' }),
      () =>
        'Gatepost cannot use Redis at 127.0.0.1:1: Redis is not ready: ECONNREFUSED. Fix that, or set REDIS_URL to another Redis. Then start Gatepost again.',
      'unavailable',
    ],
    [
      'a Slack that cannot be reached',
      () => ({ SLACK_API_URL: 'http://127.0.0.1:1/api/' }),
      () =>
        'Slack cannot be reached at http://127.0.0.1:1/api/ (connection_refused). Check the network and any proxy, then start Gatepost again.',
      'connection_refused',
    ],
    [
      'an address at which something else than Slack answers',
      ({ strangerUrl }: Trouble) => ({ SLACK_API_URL: strangerUrl }),
      ({ strangerUrl }: Trouble) =>
        `The server at ${strangerUrl} is not Slack's Web API (HTTP 404). Check SLACK_API_URL and any proxy, then start Gatepost again.`,
      'http_404',
    ],
    [
      'a token that Slack does not accept',
      () => ({ SLACK_BOT_TOKEN: 'xoxb-geheim' }),
      ({ slackApiUrl }: Trouble) =>
        `Slack at ${slackApiUrl} does not accept SLACK_BOT_TOKEN (invalid_auth). Copy the Bot User OAuth Token again from the app's settings, under OAuth & Permissions.`,
      'invalid_auth',
    ],
  ])('fails for %s with code 1, one sentence and no stack', async (_, more, sentence, code) => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const [file, nowhere] = [join(folder.path, 'file'), join(folder.path, 'nowhere')];
    await writeFile(file, '');
    await symlink(join(folder.path, 'not/there'), nowhere);
    const port = Number(new URL(sandbox.serviceUrl).port);
    await using stranger = await startStranger();
    const { slackApiUrl } = sandbox;
    const trouble = { port, file, nowhere, slackApiUrl, strangerUrl: stranger.url };
    const env = { DATA_DIR: join(folder.path, 'data'), ...more(trouble) };
    await using bot = runProgram(START, botEnvironment(sandbox, env));
    expect(await bot.ended).toBe(1);
    const isLogged = (line: string) => line.startsWith('{');
    expect(bot.output.filter((line) => !isLogged(line))).toEqual([sentence(trouble)]);
    const last = JSON.parse(bot.output.findLast(isLogged) ?? '');
    expect(last).toMatchObject({ level: 60, msg: 'could not start', code });
    expect(bot.output.join('\n')).not.toMatch(/stack|geheim/);
  });

  test('that fails has an entry for its end in the audit log', async () => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const env = { DATA_DIR: folder.path, PORT: new URL(sandbox.serviceUrl).port };
    await using bot = runProgram(START, botEnvironment(sandbox, env));
    expect(await bot.ended).toBe(1);
    const options = { ...system, folder: folder.path, guard: false };
    await using store = await createEmbeddedStore(options);
    const actions: string[] = [];
    for await (const { action } of store.readAudit({})) actions.push(action);
    const texts = ['gatepost.rules.text', 'gatepost.rules.text'];
    expect(actions).toEqual([...texts, 'gatepost.start', 'gatepost.stop']);
  });

  test('whose entry fails in the audit log ends, and seals nothing afterwards', async () => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const read = readConfig(botEnvironment(sandbox, { DATA_DIR: folder.path }), {
      command: 'start',
    });
    if (!read.ok) throw new Error('bad configuration');
    const timing = { ...TRUE_TIME, sealMs: 123_456 };
    let planned = 0;
    const timers: Timers = {
      ...systemTimers,
      after(ms, callback) {
        const cancel = systemTimers.after(ms, callback);
        if (ms !== timing.sealMs) return cancel;
        planned += 1;
        return () => {
          planned -= 1;
          cancel();
        };
      },
    };
    const openStore: typeof openRealStore = async (config, needs) => {
      const store = await openRealStore(config, needs);
      const { writeAudit } = store;
      store.writeAudit = async (entry, options) => {
        if (entry.action !== 'gatepost.start') return writeAudit.call(store, entry, options);
        expect(planned).toBe(1);
        throw new StoreError('unavailable', 'writeAudit: no room');
      };
      return store;
    };
    const logger = createLogger('silent', { write: () => undefined });
    const started = startApp({ config: read.config, logger, timers, timing, openStore });
    await expect(started).rejects.toThrow('no room');
    expect(planned).toBe(0);
  });

  test('ends at once on a signal while it waits for Slack', async () => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    sandbox.workspace.fault({ method: 'auth.test', kind: '500' });
    await using bot = runProgram(START, botEnvironment(sandbox, { DATA_DIR: folder.path }));
    await sandbox.until(() => sandbox.workspace.calls('auth.test').length > 0);
    bot.interrupt();
    // Without a listener it would have none.
    expect(await bot.ended).toBe(0);
    expect(bot.output.join()).not.toContain('"msg":"ready"');
  });

  test('accepts a data folder with a dot in its name', async () => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const path = join(folder.path, 'gatepost.data');
    const env = botEnvironment(sandbox, { DATA_DIR: path });
    await using bot = runProgram(START, env);
    await bot.line(/"msg":"ready"/);
    expect(await readdir(path)).toContain('data.mdb');
  });

  test('continues at SIGHUP with the new rules, or with the old ones if the file has an error', async () => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const file = join(folder.path, 'gatepost.yaml');
    const rules = (quorum: string) =>
      `routes: { production: { channel: C0DEPLOYS, identity: omit, reviewers: { users: [U0ANA, U0BEN] }, ${quorum} } }\n`;
    await writeFile(file, rules('quorum: 1'));
    const env = botEnvironment(sandbox, { DATA_DIR: join(folder.path, 'data') });
    await using bot = runProgram(START, { ...env, GATEPOST_CONFIG: file });
    await bot.line(/"msg":"ready"/);
    await writeFile(file, rules('quorum: 2'));
    bot.kill('SIGHUP');
    await bot.line(/"msg":"reloaded the rules"/);
    await writeFile(file, rules('quorm: 1'));
    bot.kill('SIGHUP');
    await bot.line(/"msg":"could not reload the rules: the old ones stay in use"/);
    bot.kill('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  test('keeps at SIGHUP the variables that it started with, whatever .env says now', async () => {
    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const file = join(folder.path, '.env');
    const { SCIM_TOKEN, GATEPOST_REVIEWERS: _, ...env } = botEnvironment(sandbox, {});
    await writeFile(file, `SCIM_TOKEN=${SCIM_TOKEN}\nGATEPOST_REVIEWERS=U0ANA\n`);
    await using bot = runProgram(START, { ...env, DATA_DIR: folder.path });
    await bot.line(/"msg":"ready"/);
    await writeFile(file, 'GATEPOST_REVIEWERS=U0BEN\n');
    bot.kill('SIGHUP');
    await bot.line(/"msg":"reloaded the rules: nothing changed"/);
    bot.kill('SIGTERM');
    expect(await bot.ended).toBe(0);
  });

  test('lists every error in the configuration, and ends with code 2', async () => {
    const secret = randomBytes(12).toString('hex');
    await using bot = runProgram(START, {
      SLACK_SIGNING_SECRET: '',
      SERVICE_URL: `ftp://user:${secret}@service.example`,
      GATEPOST_KEYS: secret,
      GATEPOST_REVIEWERS: 'ana',
      PORT: 'high',
      LOG_LEVEL: 'loud',
    });
    expect(await bot.ended).toBe(2);
    const said = bot.output.join('\n');
    for (const name of [
      'SLACK_BOT_TOKEN',
      'SLACK_SIGNING_SECRET',
      'SERVICE_URL',
      'GATEPOST_KEYS',
      'GATEPOST_REVIEWERS',
      'PORT',
      'LOG_LEVEL',
    ]) {
      expect(said).toContain(name);
    }
    expect(said).not.toContain(secret);
  });

  test('says that Slack refuses the token, without showing it, and ends with code 1', async () => {
    await using sandbox = await startSandbox();
    const token = `xoxb-${randomBytes(12).toString('hex')}`;
    await using folder = await temporaryFolder();
    const env = botEnvironment(sandbox, {
      SLACK_BOT_TOKEN: token,
      DATA_DIR: folder.path,
      LOG_LEVEL: 'trace',
    });
    await using bot = runProgram(START, env);
    expect(await bot.ended).toBe(1);
    const said = bot.output.join('\n');
    expect(said).toContain('does not accept SLACK_BOT_TOKEN (invalid_auth)');
    const { signingSecret, scimToken, intakeSecret } = sandbox.credentials;
    const key = String(env.GATEPOST_KEYS?.split(':')[1]);
    for (const secret of [token, signingSecret, scimToken, intakeSecret, key]) {
      expect(said).not.toContain(secret);
    }
  });

  test('says that Redis cannot be reached, without showing the password, and ends with code 1', async () => {
    await using sandbox = await startSandbox();
    const password = randomBytes(12).toString('hex');
    const url = `redis://:${password}@127.0.0.1:1`;
    await using bot = runProgram(START, botEnvironment(sandbox, { REDIS_URL: url }));
    expect(await bot.ended).toBe(1);
    const said = bot.output.join('\n');
    expect(said).toContain('Redis is not ready: ECONNREFUSED');
    expect(said).not.toContain(password);
  });
});

describe.skipIf(!(await canStartRedis()))('start', () => {
  test('says that Redis has no such database, writes nothing, and ends with code 2', async () => {
    await using sandbox = await startSandbox();
    await using redis = await startRedisServer({ settings: { databases: '16' } });
    const env = botEnvironment(sandbox, { REDIS_URL: `${redis.url}/99` });
    await using bot = runProgram(START, env);
    expect(await bot.ended).toBe(2);
    const sentence = `Gatepost cannot use Redis at 127.0.0.1:${redis.port}: Redis has no database 99. Set REDIS_URL to a database of this Redis that no other installation of Gatepost uses, or to another Redis. Then start Gatepost again.`;
    expect(bot.output.filter((line) => !line.startsWith('{'))).toEqual([sentence]);
    const look = new Redis(redis.url);
    expect(await look.dbsize()).toBe(0);
    look.disconnect();
  });
});

test('start refuses records of a newer version, leaves them unchanged, and ends with code 2', async () => {
  await using sandbox = await startSandbox();
  await using folder = await temporaryFolder();
  const data = join(folder.path, 'data');
  await noteForm(data, 2);
  await using bot = runProgram(START, botEnvironment(sandbox, { DATA_DIR: data }));
  expect(await bot.ended).toBe(2);
  expect(bot.output.filter((line) => !line.startsWith('{'))).toEqual([
    `Gatepost cannot use the data folder ${data}: its records are kept in format 2, and this version of Gatepost only knows format 1. Go back to the version that wrote them, or have it finish what is open and set REDIS_URL or DATA_DIR to an empty store for this one.`,
  ]);
});

describe.concurrent('the demo', () => {
  test('ends at Ctrl-C with code 0 and leaves nothing behind', async () => {
    await using folder = await temporaryFolder();
    await using demo = runProgram(DEMO, { TMPDIR: folder.path });
    const line = await demo.line(/^Open http/);
    const [url] = /http\S+/.exec(line) ?? [];
    for (const path of ['/', '/page/client.js', '/page/client.css']) {
      expect((await fetch(url + path)).status).toBe(200);
    }
    expect((await readdir(folder.path)).filter(isDemo)).toHaveLength(1);
    demo.interrupt();
    expect(await demo.ended).toBe(0);
    expect((await readdir(folder.path)).filter(isDemo)).toEqual([]);
  });

  test('uses the next free ports, and prints commands that work in a shell', async () => {
    await using folder = await temporaryFolder();
    await using one = runProgram(DEMO, { TMPDIR: folder.path });
    await using two = runProgram(DEMO, { TMPDIR: folder.path });
    const demos = [one, two];
    for (const demo of demos) {
      const exported = await demo.line(/^export GATEPOST_URL=/);
      const asked = await demo.line(/^curl /);
      await using shell = runProgram(['-c', `${exported}\n${asked}`], {}, '/bin/sh');
      expect(await shell.ended).toBe(0);
      expect(shell.output.join('')).toContain('"status":"PENDING"');
    }
    const ports = demos.flatMap(({ output }) =>
      [...output.join('\n').matchAll(/127\.0\.0\.1:(\d+)/g)].map(([, port]) => Number(port)),
    );
    expect(ports).toHaveLength(4);
    expect(new Set(ports).size).toBe(4);
    expect(ports.every((port) => port >= 4100)).toBe(true);
    for (const demo of demos) demo.interrupt();
    expect(await Promise.all(demos.map(({ ended }) => ended))).toEqual([0, 0]);
  });

  test('prints its usage, or that its port is taken', async () => {
    await using wrong = runProgram([...DEMO, '--port', 'high'], {});
    expect(await wrong.ended).toBe(2);
    expect(wrong.output[0]).toBe('Usage: npm run demo -- [--port <number>]');

    await using sandbox = await startSandbox();
    await using folder = await temporaryFolder();
    const { port } = new URL(sandbox.url);
    await using late = runProgram([...DEMO, '--port', port], { TMPDIR: folder.path });
    expect(await late.ended).toBe(1);
    expect(late.output).toEqual([
      'The demo could not start: the port is taken. Choose another with --port.',
    ]);
    expect((await readdir(folder.path)).filter(isDemo)).toEqual([]);
  });
});

interface Trouble {
  /** Something listens on it. */
  readonly port: number;
  readonly file: string;
  /** A link that leads nowhere. */
  readonly nowhere: string;
  readonly slackApiUrl: string;
  /** Knows nothing. */
  readonly strangerUrl: string;
}

async function startStranger() {
  const server = createServer((_, response) => response.writeHead(404).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // as: it listens on a port
  return {
    url: `http://127.0.0.1:${port}/api/`,
    [Symbol.asyncDispose]: () => promisify(server.close.bind(server))(),
  };
}

const isDemo = (name: string) => name.startsWith('gatepost');

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-start-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
