import { expect } from 'vitest';
import { startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis } from '../../support/redis.ts';
import { ANA } from '../stage.ts';
import { story } from '../story.ts';
import { WAIT_MS, waitAt } from '../wait-at.ts';
import { startStage } from './stage.ts';

const hasRedis = await canStartRedis();
const DEPLOY = { key: 'checkout/4711/deploy', title: 'Deploy 4.2', message: 'Shall we?' };

story('waiting', 'a wait ends at once when the bot stops', async () => {
  await using stage = await startStage('embedded');
  const { id } = await stage.ask(DEPLOY);
  const waiting = waitAt(stage.bot.url, stage, id, '50');
  // It has arrived once another request behind it was answered.
  await waitAt(stage.bot.url, stage, id, '1');
  const [{ body }, code] = await Promise.all([waiting, stage.bot.stop()]);
  expect(body).toMatchObject({ status: 'PENDING', final: false });
  expect(code).toBe(0);
});

story('waiting', 'an automation waiting at another replica is told as well', async (context) => {
  context.skip(!hasRedis, 'no redis-server program');
  await using stage = await startStage('redis');
  await using other = await startBotProcess(stage.sandbox, stage.env);
  // What people do reaches the other one alone.
  const { id, ts } = await stage.ask(DEPLOY);
  const waiting = waitAt(stage.bot.url, stage, id, '50');
  await waitAt(stage.bot.url, stage, id, '1');
  expect(stage.bot.url).not.toBe(other.url);
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by/);
  const { body, tookMs } = await waiting;
  expect(body).toMatchObject({ status: 'APPROVED', final: true });
  expect(tookMs).toBeLessThan(WAIT_MS);
});
