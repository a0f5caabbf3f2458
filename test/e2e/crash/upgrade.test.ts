import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { describe, expect } from 'vitest';
import { botAddress } from '../../support/bot-config.ts';
import { type BotProcess, startBotProcess } from '../../support/bot-process.ts';
import { PROGRAM } from '../../support/program.ts';
import { canStartRedis } from '../../support/redis.ts';
import { story } from '../story.ts';
import { effectsOf, type Stage, startStage } from './stage.ts';

const LATER = '0.99.0';

/** The same program under a later number, in a folder of its own. */
async function laterBuild() {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-later-'));
  const own = JSON.parse(await readFile('package.json', 'utf8'));
  await cp(dirname(PROGRAM), join(folder, 'dist'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...own, version: LATER }));
  await symlink(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    program: join(folder, PROGRAM),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A replica on the stage's records, which Slack and automations talk to from now on. */
function startBeside(stage: Stage, program?: string): Promise<BotProcess> {
  return startBotProcess(stage.sandbox, stage.env, program);
}

describe.skipIf(!(await canStartRedis()))('an upgrade and a rollback', () => {
  story(
    'no-click-lost nothing-twice no-message-lies',
    'replace one replica after the other while both versions run',
    async () => {
      await using build = await laterBuild();
      const own = await promisify(execFile)(process.execPath, [build.program, '--version']);
      expect(own.stdout.trim()).toBe(LATER);
      await using stage = await startStage('redis');
      const talkTo = (bot: BotProcess) => stage.sandbox.connectBot(botAddress(bot.url));
      const decided = async (ts: string, token: string, by = 'U0ANA') => {
        const pressed = await stage.click(by, ts, 'Approve');
        expect(pressed.acknowledged).toBe(true);
        await stage.until(ts, new RegExp(`Approved by .*<@${by}>`));
        expect(effectsOf(stage.sandbox, token)).toBe(1);
      };
      const early = await stage.ask();
      const shared = await stage.ask({ quorum: 2 });

      await using later = await startBeside(stage, build.program);
      await decided(early.ts, early.token);
      await stage.click('U0ANA', shared.ts, 'Approve');
      await stage.until(shared.ts, /1 of 2/);
      talkTo(stage.bot);
      const asked = await stage.ask();
      expect(await stage.bot.stop()).toBe(0);

      talkTo(later);
      await decided(asked.ts, asked.token);
      await decided(shared.ts, shared.token, 'U0BEN');
      const last = await stage.ask();

      await using back = await startBeside(stage);
      expect(await later.stop()).toBe(0);
      await decided(last.ts, last.token);
      expect(back.output.join('\n')).not.toContain('"level":"error"');
    },
  );
});
