import { expect } from 'vitest';
import { startBotProcess } from '../support/bot-process.ts';
import { canStartRedis } from '../support/redis.ts';
import { DEPLOYS } from '../support/world.ts';
import { startStage as startCrashStage } from './crash/stage.ts';
import { ANA, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

const hasRedis = await canStartRedis();
const DEPLOY = { key: 'checkout/4711/deploy', title: 'Deploy 4.2', message: 'Shall we?' };

/** What is answered sooner was not waited for to its end. */
const WAIT_MS = 50_000;

interface Waited {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly tookMs: number;
}

async function waitAt(
  url: string,
  { sandbox }: Pick<Stage, 'sandbox'>,
  id: string,
  wait: string,
): Promise<Waited> {
  const startedAt = Date.now();
  const answer = await fetch(`${url}/v1/approvals/${id}?wait=${wait}`, {
    headers: { authorization: `Bearer ${sandbox.credentials.intakeSecret}` },
  });
  const body = JSON.parse(await answer.text());
  return { status: answer.status, body, tookMs: Date.now() - startedAt };
}

story('waiting', 'a waiting automation is told when the request is decided', async () => {
  await using stage = await startStage();
  const { id, ts } = await stage.ask(DEPLOY);
  const short = await waitAt(stage.app.url, stage, id, '1');
  expect(short).toMatchObject({ status: 200, body: { status: 'PENDING', final: false } });
  expect(short.tookMs).toBeGreaterThan(900);
  const all = Array.from({ length: 300 }, () => waitAt(stage.app.url, stage, id, '50'));
  // More wait than a source may have answered at a time.
  await stage.click(ANA, ts, 'Reject');
  for (const { status, body } of await Promise.all(all)) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'REJECTED', final: true, outcome: { by: [ANA] } });
  }
  const known = await waitAt(stage.app.url, stage, id, '50');
  expect(known.body).toMatchObject({ status: 'REJECTED', final: true });
  expect(known.tookMs).toBeLessThan(WAIT_MS);
  expect(await waitAt(stage.app.url, stage, id, 'long')).toMatchObject({ status: 422 });
  expect(await waitAt(stage.app.url, stage, 'unknown', '50')).toMatchObject({ status: 404 });
});

story('waiting', 'a waiting automation is told when the message cannot be posted', async () => {
  await using stage = await startStage();
  stage.sandbox.workspace.fault({
    method: 'chat.postMessage',
    kind: 'refused',
    error: 'not_in_channel',
    when: ({ channel }) => channel === DEPLOYS,
  });
  const { id } = await stage.send(DEPLOY);
  const { body } = await waitAt(stage.app.url, stage, id, '50');
  expect(body).toMatchObject({
    status: 'BLOCKED',
    final: false,
    posting: { state: 'blocked', reason: 'not_in_channel' },
  });
  const { body: withdrawn } = await stage.sandbox.automation.withdraw(id);
  expect(withdrawn).toMatchObject({ status: 'WITHDRAWN' });
  const after = await waitAt(stage.app.url, stage, id, '50');
  expect(after.body).toMatchObject({ status: 'WITHDRAWN', final: true });
});

story('waiting', 'a wait ends at once when the bot stops', async () => {
  await using stage = await startCrashStage('embedded');
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
  await using stage = await startCrashStage('redis');
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
