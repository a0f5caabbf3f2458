import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { canStartRedis, startRedisServer } from '../../support/redis.ts';
import { DEPLOYS, OUTCOMES, readable } from '../../support/world.ts';
import { story } from '../story.ts';
import { type Stage, startStage } from './stage.ts';

/** The store comes back as it was before a decision that Slack shows already. */

async function decided(stage: Stage, ts: string): Promise<void> {
  const { sandbox } = stage;
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
  await sandbox.until(() => announced(sandbox, ts).length === 2);
}

function announced({ workspace }: Stage['sandbox'], ts: string): string[] {
  return [...workspace.thread(DEPLOYS, ts).slice(1), ...workspace.messages(OUTCOMES)].map(readable);
}

/** Waits until the outcome was learned again, and nothing is left to post. */
async function learnedAgain({ sandbox, read }: Stage, ts: string, id: string): Promise<void> {
  const { workspace, automation } = sandbox;
  const patience = { timeout: 60_000, interval: 100 };
  await vi.waitFor(
    async () => expect((await automation.check(id)).status).toBeLessThan(300),
    patience,
  );
  await vi.waitFor(async () => {
    const { body } = await automation.status(id);
    const outcome = { status: 'APPROVED', certain: true, by: ['U0ANA'] };
    expect(body).toMatchObject({ status: 'APPROVED', outcome });
  }, patience);
  // The message, its thread and the outcome channel.
  await sandbox.until(() => searches(sandbox) >= 3);
  expect(read(ts)).toContain('Approved by <@U0ANA>');
  expect(announced(sandbox, ts)).toHaveLength(2);
  const texts = [...workspace.calls('chat.update'), ...workspace.calls('chat.postMessage')];
  expect(JSON.stringify(texts)).not.toContain('elsewhere');
}

function searches({ workspace }: Stage['sandbox']): number {
  const methods = ['conversations.history', 'conversations.replies'];
  return methods.reduce((count, method) => count + workspace.calls(method).length, 0);
}

const hasRedis = await canStartRedis();

describe('when the store has lost its last writes', () => {
  story(
    'no-message-lies nothing-twice',
    'after a restored folder no name is taken from a message, and no outcome is posted again',
    async () => {
      await using stage = await startStage('embedded');
      const folder = `${stage.env.DATA_DIR}`;
      const { ts, id } = await stage.ask();
      await stage.bot.kill();
      await cp(folder, `${folder}-copy`, { recursive: true });
      await stage.restart();
      await decided(stage, ts);
      await stage.bot.kill();
      await rm(folder, { recursive: true });
      await cp(`${folder}-copy`, folder, { recursive: true });
      await rm(`${folder}-copy`, { recursive: true });
      await stage.restart();
      await learnedAgain(stage, ts, id);
    },
  );

  story(
    'no-message-lies nothing-twice',
    'after a replica was promoted too early no name is taken from a message, and no outcome is posted again',
    async (context) => {
      context.skip(!hasRedis, 'no redis-server program');
      await using stage = await startStage('redis', { REDIS_CONFIRM: 'off' });
      const { ts, id } = await stage.ask();
      const dir = await mkdtemp(join(tmpdir(), 'gatepost-replica-'));
      const settings = {
        replicaof: `127.0.0.1 ${stage.redis.port}`,
        'repl-diskless-sync-delay': '0',
      };
      const replica = await startRedisServer({ dir, settings });
      const client = new Redis(replica.url);
      await vi.waitUntil(
        async () => (await client.info()).includes('master_link_status:up'),
        20_000,
      );
      // From here on it learns nothing more.
      await client.replicaof('NO', 'ONE');
      await client.save();
      client.disconnect();
      await replica.kill();
      await decided(stage, ts);
      await stage.redis.kill();
      await using _promoted = await startRedisServer({ dir, port: stage.redis.port });
      await learnedAgain(stage, ts, id);
      await rm(dir, { recursive: true });
    },
  );
});
