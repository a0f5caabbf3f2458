import { Redis } from 'ioredis';
import { describe, expect, vi } from 'vitest';
import { CHECKPOINT } from '../../src/core/store/checkpoint.ts';
import { runHere } from '../cli/run-here.ts';
import { botEnvironment } from '../support/bot-config.ts';
import { canStartRedis, startRedisServer } from '../support/redis.ts';
import { ANA, startStage } from './stage.ts';
import { story } from './story.ts';

const DANA = 'U0DANA';
const [STREAM, CHAIN] = ['gatepost:{0}:audit', 'gatepost:{0}:audit-chain'];

describe.runIf(await canStartRedis())('on Redis', () => {
  story(
    'audit-sealed administrators-told',
    'a log truncated while the bot runs alerts an administrator once, and does not verify',
    async () => {
      await using server = await startRedisServer();
      const redis = new Redis(server.url);
      const env = { REDIS_URL: server.url };
      await using stage = await startStage({
        env,
        config: (config) => ({ ...config, administrators: { users: [DANA], groups: [] } }),
        // The log is sealed every three seconds.
        scale: 0.01,
      });
      const verify = () =>
        runHere(['audit', 'verify'], { env: botEnvironment(stage.sandbox, env) });
      const actions = async () =>
        (await redis.xrange(STREAM, '-', '+')).map(([, [, action]]) => action);
      const isSealed = async (after: string) => {
        const all = await actions();
        return all.lastIndexOf(CHECKPOINT) > all.lastIndexOf(after) && all.includes(after);
      };
      const { ts } = await stage.ask();
      await stage.click(ANA, ts, 'Approve');
      await stage.until(ts, /Approved by/);
      const patient = { timeout: 60_000, interval: 50 };
      await vi.waitUntil(() => isSealed('approvals.outcome'), patient);
      expect(await verify()).toMatchObject({ code: 0 });

      // Back to where nobody had approved, with both ends as they were then.
      const entries = await redis.xrange(STREAM, '-', '+');
      const first = entries.findIndex(([, [, action]]) => action === 'approvals.ballot');
      const [at = '', fields = []] = entries[first - 1] ?? [];
      const [time, number] = at.split('-');
      await redis
        .multi()
        .xdel(STREAM, ...entries.slice(first).map(([id]) => id))
        .set(CHAIN, `${number} ${fields.at(-1)} ${time} 0 - 1000000000000000`)
        .exec();

      const { sandbox } = stage;
      await sandbox.until(() => stage.told(DANA).length > 0, { what: 'the alert' });
      expect(stage.told(DANA)).toEqual([
        expect.stringMatching(
          /^Entries are missing from the audit log: checkpoint \d+ of shard 0,/,
        ),
      ]);
      await vi.waitUntil(() => isSealed('alerts.raised'), patient);
      const { code, out } = await verify();
      expect(code).toBe(1);
      expect(out).toMatch(/^Checkpoint \d+, which entry \d+ names, is missing: /);
      const lines = stage.log.filter((line) => line.includes('a checkpoint is missing'));
      expect(lines).toHaveLength(1);
      redis.disconnect();
    },
  );
});
