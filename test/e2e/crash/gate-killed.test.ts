import { cp, rm } from 'node:fs/promises';
import { describe, expect, vi } from 'vitest';
import { botAddress } from '../../support/bot-config.ts';
import { startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis } from '../../support/redis.ts';
import { story } from '../story.ts';
import { everyStore, type Stage, startStage } from './stage.ts';

const hasRedis = await canStartRedis();
const DEPLOY = { key: 'checkout/4711/deploy', title: 'Deploy 4.2', message: 'Shall we?' };

async function untilApproved({ sandbox }: Stage, id: string): Promise<void> {
  const patience = { timeout: 60_000, interval: 100 };
  await vi.waitFor(async () => {
    const { body } = await sandbox.automation.status(id);
    const outcome = { certain: true, by: ['U0ANA'] };
    expect(body).toMatchObject({ status: 'APPROVED', outcome });
  }, patience);
}

describe.concurrent.each(await everyStore())('an own gate on the %s store', (store) => {
  story(
    'no-click-lost gate-own',
    'is decided by a click even if the bot dies while it checks the account',
    async () => {
      await using stage = await startStage(store);
      const { sandbox } = stage;
      const { id, ts } = await stage.ask(DEPLOY);
      sandbox.service.fault({ operation: 'listUsers', kind: 'latency', ms: 20_000, times: 1 });
      const click = await stage.click('U0ANA', ts, 'Approve');
      stage.kill();
      expect(click.acknowledged).toBe(true);
      await stage.restart();
      await stage.until(ts, /Approved by <@U0ANA>/);
      await untilApproved(stage, id);
      expect(sandbox.service.requests('respond')).toEqual([]);
    },
  );

  story(
    'no-message-lies nothing-twice gate-own',
    'keeps its outcome if the bot dies before the message shows it',
    async () => {
      await using stage = await startStage(store);
      const { id, ts } = await stage.ask(DEPLOY);
      stage.killedAtSlack({ method: 'chat.update', kind: 'dropBefore' });
      await stage.click('U0ANA', ts, 'Approve');
      const { workspace } = stage.sandbox;
      await stage.sandbox.until(() => workspace.calls('chat.update').length > 0);
      // The message has its buttons until Ben has pressed one.
      let press = () => {};
      const pressed = new Promise<void>((resolve) => {
        press = resolve;
      });
      workspace.fault({ method: 'chat.update', kind: 'latency', until: pressed });
      await stage.restart();
      await untilApproved(stage, id);
      await stage.click('U0BEN', ts, 'Reject');
      press();
      await stage.until(ts, /Approved by <@U0ANA>/);
      await untilApproved(stage, id);
    },
  );
});

describe('an own gate', () => {
  story(
    'no-message-lies nothing-twice gate-own',
    'whose decision is missing in a restored folder takes its outcome from its message',
    async () => {
      await using stage = await startStage('embedded');
      const folder = `${stage.env.DATA_DIR}`;
      const { id, ts } = await stage.ask(DEPLOY);
      await stage.bot.kill();
      await cp(folder, `${folder}-copy`, { recursive: true });
      await stage.restart();
      await stage.click('U0ANA', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA>/);
      await stage.bot.kill();
      await rm(folder, { recursive: true });
      await cp(`${folder}-copy`, folder, { recursive: true });
      await rm(`${folder}-copy`, { recursive: true });
      await stage.restart();
      await stage.sandbox.automation.check(id);
      await untilApproved(stage, id);
      expect(stage.read(ts)).toMatch(/Approved by <@U0ANA>/);
    },
  );

  story(
    'result-claim nothing-twice gate-own',
    'whose claim is missing in a restored folder is not claimed by another run',
    async () => {
      await using stage = await startStage('embedded');
      const { automation } = stage.sandbox;
      const folder = `${stage.env.DATA_DIR}`;
      const { id, ts } = await stage.ask(DEPLOY);
      await stage.click('U0ANA', ts, 'Approve');
      await stage.until(ts, /Approved by <@U0ANA>/);
      await stage.bot.kill();
      await cp(folder, `${folder}-copy`, { recursive: true });
      await stage.restart();
      const claim = (name: string) => automation.report(id, { state: 'running', claim: name });
      // The killed process may still hold the record: 503, and the same is sent again.
      const claimed = async () => expect(await claim('run 1')).toMatchObject({ status: 200 });
      await vi.waitFor(claimed, { timeout: 60_000, interval: 500 });
      await stage.until(ts, /\*Running\*/);
      await stage.bot.kill();
      await rm(folder, { recursive: true });
      await cp(`${folder}-copy`, folder, { recursive: true });
      await rm(`${folder}-copy`, { recursive: true });
      await stage.restart();
      expect(await claim('run 2')).toMatchObject({ status: 409 });
      await vi.waitFor(claimed, { timeout: 60_000, interval: 500 });
    },
  );

  story(
    'click-race nothing-twice gate-own',
    'has one outcome when two people press on two replicas',
    async (context) => {
      context.skip(!hasRedis, 'no redis-server program');
      await using stage = await startStage('redis');
      await using other = await startBotProcess(stage.sandbox, stage.env);
      const { sandbox } = stage;
      for (let round = 0; round < 5; round += 1) {
        sandbox.connectBot(botAddress(stage.bot.url));
        const { id, ts } = await stage.ask({ ...DEPLOY, key: `round-${round}` });
        const ana = stage.click('U0ANA', ts, 'Approve');
        sandbox.connectBot(botAddress(other.url));
        await Promise.all([ana, stage.click('U0BEN', ts, 'Reject')]);
        const shown = await stage.until(ts, /(Approved by <@U0ANA>|Rejected by <@U0BEN>)/);
        const status = shown.includes('Approved') ? 'APPROVED' : 'REJECTED';
        for (const bot of [stage.bot, other]) {
          sandbox.connectBot(botAddress(bot.url));
          expect((await sandbox.automation.status(id)).body).toMatchObject({ status });
        }
        await sandbox.until(() => told(stage).length === round + 1, { what: 'the other is told' });
      }
    },
  );
});

function told(stage: Stage): string[] {
  return [...stage.told('U0ANA'), ...stage.told('U0BEN')];
}
