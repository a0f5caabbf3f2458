import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { botEnvironment } from '../../support/bot-config.ts';
import { runProgram } from './run-program.ts';

vi.setConfig({ maxConcurrency: 8, testTimeout: 120_000 });

const START = ['dist/main.js', 'start'];
const DEMO = ['--import', 'tsx', 'sandbox/demo.ts'];

describe.concurrent('start', () => {
  test('names everything that is wrong with its configuration, and ends with code 2', async () => {
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

  test('says that Slack does not accept its token, without the token, and ends with code 1', async () => {
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
    expect(said).toContain('Slack does not accept SLACK_BOT_TOKEN (invalid_auth)');
    const { signingSecret, scimToken, intakeSecret } = sandbox.credentials;
    const key = String(env.GATEPOST_KEYS?.split(':')[1]);
    for (const secret of [token, signingSecret, scimToken, intakeSecret, key]) {
      expect(said).not.toContain(secret);
    }
  });

  test('says that Redis cannot be reached, without its password, and ends with code 1', async () => {
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

  test('says how it is used, or that its port is taken', async () => {
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

const isDemo = (name: string) => name.startsWith('gatepost');

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-start-'));
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
