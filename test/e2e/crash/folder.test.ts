import { randomBytes } from 'node:crypto';
import { cp, mkdtemp, open, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { canFillDisk, limitFiles } from '../../support/bot-process.ts';
import { PROGRAM } from '../../support/program.ts';
import { story } from '../story.ts';
import { runProgram } from './run-program.ts';
import { effectsOf, startStage } from './stage.ts';

vi.setConfig({ maxConcurrency: 8, testTimeout: 120_000 });

test.concurrent('a second start on the same folder ends and says why', async () => {
  await using stage = await startStage('embedded');
  const second = runProgram([PROGRAM, 'start'], stage.env);
  expect(await second.ended).toBe(1);
  expect(second.output.join('\n')).toContain(
    `is in use by process ${stage.bot.pid}. Stop that process, or set DATA_DIR to another folder.`,
  );
  const { ts } = await stage.ask();
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
});

test.concurrent('after kill -9 the data folder can be used at once, with its content', async () => {
  await using stage = await startStage('embedded');
  const { ts } = await stage.ask();
  stage.kill();
  await stage.restart();
  await stage.click('U0BEN', ts, 'Reject');
  await stage.until(ts, /Rejected by <@U0BEN>/);
});

const DAMAGES: Readonly<Record<string, (data: string) => Promise<unknown>>> = {
  'is missing': (data) => rm(data),
  'is empty': (data) => truncate(data, 0),
  'is damaged: reading it ends in': (data) => truncate(data, 3 * 4_096),
  "is damaged: its beginning is not LMDB's": (data) => overwrite(data, 0, 4_096),
  'is damaged: ': async (data) => overwrite(data, 8_192, (await stat(data)).size - 8_192),
};

story('store-damaged', 'a damaged folder is refused at the start, in a sentence', async () => {
  await using stage = await startStage('embedded');
  await stage.ask();
  expect(await stage.bot.stop()).toBe(0);
  for (const [words, damage] of Object.entries(DAMAGES)) {
    await using copy = await temporaryFolder();
    await cp(stage.env.DATA_DIR ?? '', copy.path, { recursive: true });
    await damage(join(copy.path, 'data.mdb'));
    await using bot = runProgram([PROGRAM, 'start'], { ...stage.env, DATA_DIR: copy.path });
    expect(await bot.ended, words).toBe(1);
    const said = bot.output.join('\n');
    expect(said).toContain(words);
    expect(said).toMatch(/it held [1-9]\d* records on \d{4}-/);
    expect(said).toContain(`the data folder ${copy.path}`);
    expect(said).toContain(
      'restore a backup of the folder, or move the folder away to begin with an empty store',
    );
    expect(said).not.toContain('this user can write to');
  }
});

test.concurrent('an earlier backup of the data file alone is accepted', async () => {
  await using stage = await startStage('embedded');
  const data = join(stage.env.DATA_DIR ?? '', 'data.mdb');
  const { ts } = await stage.ask();
  expect(await stage.bot.stop()).toBe(0);
  await cp(data, `${data}.backup`);
  await stage.restart();
  await stage.ask();
  expect(await stage.bot.stop()).toBe(0);
  await rename(`${data}.backup`, data);
  await stage.restart();
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
});

describe.skipIf(!(await canFillDisk()))('when the disk', () => {
  const ready = async (url: string) => (await fetch(`${url}/readyz`)).status;
  const slots = (url: string, status: number) =>
    vi.waitUntil(async () => (await ready(url)) === status, { timeout: 60_000, interval: 100 });

  story(
    'no-click-lost store-readiness administrators-told administrators-once',
    'is full, administrators are told once, and what was accepted is carried out later',
    async () => {
      await using folder = await temporaryFolder();
      const config = join(folder.path, 'gatepost.yaml');
      await writeFile(config, 'administrators: { users: [U0DANA] }\n');
      await using stage = await startStage('embedded', { GATEPOST_CONFIG: config });
      const { sandbox, bot } = stage;
      const data = join(stage.env.DATA_DIR ?? '', 'data.mdb');
      const { ts, token } = await stage.ask();
      // The decision is on its way when the disk is full: its answer cannot be saved.
      sandbox.service.fault({
        operation: 'respond',
        kind: 'slowAnswer',
        ms: 500,
        times: 1,
        when() {
          limitFiles(bot.pid, 0);
          return true;
        },
      });
      expect(await stage.click('U0ANA', ts, 'Approve')).toMatchObject({ acknowledged: true });
      await sandbox.until(() => sandbox.service.requests('respond')[0]?.answered === 200);
      expect(await sandbox.automation.ask({ title: 'Meanwhile' })).toMatchObject({
        status: 503,
        body: { detail: expect.stringMatching(/^The store accepts no writes: its disk is full/) },
      });
      await slots(bot.url, 503);
      await sandbox.until(() => stage.told('U0DANA').length > 0, { what: 'an alert' });
      expect(stage.told('U0DANA')).toEqual([expect.stringContaining('cannot save anything')]);
      expect(await (await fetch(`${bot.url}/metrics`)).text()).toContain('gatepost_store_up 0\n');

      // Full, but for what small writes have left free: still not ready.
      limitFiles(bot.pid, (await stat(data)).size);
      const large = { message: 'x'.repeat(20_000) };
      expect((await sandbox.automation.ask(large)).status).toBe(503);
      expect(await ready(bot.url)).toBe(503);

      limitFiles(bot.pid, 'unlimited');
      await slots(bot.url, 200);
      // What the service answered could not be saved; its status does not say who it was.
      await stage.until(ts, /Approved/);
      expect(effectsOf(sandbox, token)).toBe(1);
      expect(sandbox.service.requests('respond')).toHaveLength(1);
      expect((await sandbox.automation.ask(large)).status).toBe(202);
      expect(stage.told('U0DANA')).toHaveLength(1);
      const said = bot.output.join('\n');
      expect(said).toMatch(/could not write \([^)]+\): its disk is full, or at its limit/);
      expect(said).not.toContain('unhandled promise rejection');
      expect(said).toContain('the store takes writes again');
    },
  );
});

async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'gatepost-folder-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

/** With what makes no sense. */
async function overwrite(path: string, at: number, length: number): Promise<void> {
  await using file = await open(path, 'r+');
  await file.write(randomBytes(length), 0, length, at);
}
