import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runProgram } from '../../e2e/crash/run-program.ts';
import { type FakeGate, startFakeGate } from '../../support/fake-gate.ts';
import { PROGRAM } from '../../support/program.ts';

/** `.env` of the working folder: which commands read it, and which never do. */

const absolute = (path: string) => new URL(`../../../${path}`, import.meta.url).pathname;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatepost-env-'));
});
afterAll(() => rm(folder, { recursive: true }));

type Env = Readonly<Record<string, string>>;

const gatepost = (words: string, env: Env = {}) =>
  runProgram([absolute(PROGRAM), ...words.split(' ')], env, process.execPath, folder);

async function endOf(words: string, env?: Env): Promise<string> {
  await using program = gatepost(words, env);
  const code = await program.ended;
  return [...program.output, `ended with ${code}`].join('\n');
}

const write = (text: string, at = folder) => writeFile(join(at, '.env'), text);

describe('the bot’s own commands', () => {
  test('read it, behind the environment', async () => {
    await write('# settings\nGATEPOST_CHANNEL="#deploys"\nSLACK_BOT_TOKEN=xoxb-1\n');
    expect(await endOf('doctor')).toMatch(/GATEPOST_CHANNEL +must be a channel id/);
    expect(await endOf('doctor')).not.toContain('SLACK_BOT_TOKEN');
    expect(await endOf('doctor', { GATEPOST_CHANNEL: 'C01' })).not.toContain('GATEPOST_CHANNEL');
  });

  test('start names it in the log', async () => {
    const key = `k1:${Buffer.alloc(32).toString('base64')}`;
    await write(
      `SLACK_BOT_TOKEN=xoxb-1\nSLACK_SIGNING_SECRET=s\nGATEPOST_KEYS=${key}\nGATEPOST_INTAKE_SECRET=s\nGATEPOST_CHANNEL=C01\nSLACK_API_URL=http://127.0.0.1:9\nDATA_DIR=data\n`,
    );
    await using program = gatepost('start');
    const line = await program.line(/read from a file/);
    expect(JSON.parse(line)).toMatchObject({ level: 30, file: join(folder, '.env') });
  });

  test('audit and people name it beside their output', async () => {
    await write('DATA_DIR=nowhere\n');
    expect(await endOf('audit list')).toContain(`read from ${join(folder, '.env')}.`);
    expect(await endOf('people list')).toContain(`read from ${join(folder, '.env')}.`);
  });

  test('it is beside the data where there is none in the working folder', async () => {
    const data = await mkdtemp(join(tmpdir(), 'gatepost-env-'));
    await rm(join(folder, '.env'));
    await write('GATEPOST_CHANNEL=deploys\n', data);
    expect(await endOf('doctor', { DATA_DIR: data })).toContain('GATEPOST_CHANNEL');
    await rm(data, { recursive: true });
  });
});

describe('whoever asks', () => {
  let gate: FakeGate;
  beforeAll(async () => {
    gate = await startFakeGate();
    await write(
      `GATEPOST_URL=${gate.url}\nGATEPOST_INTAKE_SECRET=secret\nTITLE=Deploy\nASK_BEFORE=.\n`,
    );
  });
  afterAll(() => gate[Symbol.asyncDispose]());

  test.each([
    'ask --title Deploy --wait',
    'ask --title Deploy --run -- true',
    'mcp',
    'withdraw --key deploy',
  ])('gatepost %s never reads it', async (words) => {
    expect(await endOf(words)).not.toContain('ended with 0');
    expect(gate.calls).toEqual([]);
  });

  test.each(['curl/ask.sh', 'agents/ask-before.sh'])('%s never reads it', async (script) => {
    const path = absolute(`integrations/${script}`);
    await using program = runProgram([path], {}, 'sh', folder);
    await program.ended;
    expect(gate.calls).toEqual([]);
  });
});
