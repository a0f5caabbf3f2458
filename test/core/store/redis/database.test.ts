import { Redis, ReplyError } from 'ioredis';
import { describe, expect, test, vi } from 'vitest';
import { system } from '../../../../src/core/lib/system.ts';
import {
  createRedisStore,
  type RedisStoreOptions,
} from '../../../../src/core/store/redis/create-redis-store.ts';
import { databaseError } from '../../../../src/core/store/redis/database-error.ts';
import type { StoreLogger } from '../../../../src/core/store/store.ts';
import { StoreConfigError } from '../../../../src/core/store/store.ts';
import { canStartRedis, type RedisServer, startRedisServer } from '../../../support/redis.ts';
import { silent } from '../redis-world.ts';
import { createFree } from '../store-world.ts';

vi.setConfig({ testTimeout: 60_000 });

const open = (url: string, more: Partial<RedisStoreOptions> = {}) =>
  createRedisStore({ ...system, url, logger: silent, ...more });

/** A plain connection to database 0, to look behind the store. */
function lookAt({ url }: RedisServer) {
  const redis = new Redis(url);
  return Object.assign(redis, { [Symbol.dispose]: () => redis.disconnect() });
}

/** How often SELECT was refused there. */
async function refusedSelects(redis: Redis): Promise<number> {
  const [, failed, rejected] =
    /^cmdstat_select:.*rejected_calls=(\d+),failed_calls=(\d+)/m.exec(
      await redis.info('commandstats'),
    ) ?? [];
  return Number(failed ?? 0) + Number(rejected ?? 0);
}

describe.skipIf(!(await canStartRedis()))('the database of REDIS_URL', () => {
  test.each([
    ['a server with one database', { databases: '1' }, 1],
    ['a server with sixteen databases', { databases: '16' }, 99],
    ['a node of a Cluster', { 'cluster-enabled': 'yes' }, 2],
  ])('is refused at the start where %s lacks it', async (_, settings, database) => {
    await using server = await startRedisServer({ settings });
    const refused = open(`${server.url}/${database}`);
    await expect(refused).rejects.toThrow(StoreConfigError);
    await expect(refused).rejects.toMatchObject({
      code: 'unavailable',
      message: `Redis has no database ${database}`,
    });
    using look = lookAt(server);
    expect(await look.dbsize()).toBe(0);
  });

  test('is refused when the user cannot select it, and the default one needs no SELECT', async () => {
    await using server = await startRedisServer();
    using look = lookAt(server);
    await look.call('ACL', 'SETUSER', 'few', 'on', '>pw', '~*', '&*', '+@all', '-select');
    const url = server.url.replace('redis://', 'redis://few:pw@');
    await expect(open(`${url}/2`)).rejects.toMatchObject({
      message: 'Redis does not allow the user of REDIS_URL to select database 2 (NOPERM)',
      fix: expect.stringContaining('+select'),
    });
    expect(await look.dbsize()).toBe(0);
    for (const own of [url, `${url}/`, `${url}/0`]) {
      await using store = await open(own);
      await createFree(store);
    }
  });

  test('is checked again when the server answers too late, and then refused', async () => {
    await using server = await startRedisServer({ settings: { databases: '1' } });
    server.pause();
    const startedAt = performance.now();
    const refused = expect(open(`${server.url}/1`, { readyMs: 20_000 })).rejects.toThrow(
      'Redis has no database 1',
    );
    // Longer than an answer is waited for, shorter than silence breaks a connection.
    await vi.waitUntil(() => performance.now() - startedAt > 2_000, { timeout: 10_000 });
    server.resume();
    await refused;
    using look = lookAt(server);
    expect(await look.dbsize()).toBe(0);
  });

  test('keeps two stores on one server apart', async () => {
    await using server = await startRedisServer();
    await using one = await open(`${server.url}/1`);
    await using two = await open(`${server.url}/2`);
    const id = await createFree(one);
    expect(await two.read(id)).toBeUndefined();
    expect((await two.claim('people', 10)).held).toEqual([]);
    expect((await one.claim('people', 10)).held).toHaveLength(1);
    using look = lookAt(server);
    expect(await look.dbsize()).toBe(0);
  });

  test('is waited for when a restart took it away, and nothing is written into another', async () => {
    const logged: string[] = [];
    const log = (_: object, message: string) => void logged.push(message);
    const logger: StoreLogger = { info: log, warn: log };
    const before = await startRedisServer();
    const { port } = before;
    await using store = await open(`${before.url}/2`, { logger });
    await createFree(store);
    logged.length = 0;
    await before.stop();
    {
      await using fewer = await startRedisServer({ port, settings: { databases: '1' } });
      using look = lookAt(fewer);
      // Everything that can be sent at any moment of each new connection.
      const answers = new Set<string>();
      let isOver = false;
      const trying = (async () => {
        while (!isOver) {
          const calls = [createFree(store), store.ping(), store.put('k', 'v', 10_000)];
          for (const call of await Promise.allSettled(calls)) {
            answers.add(call.status === 'fulfilled' ? 'done' : String(call.reason.message));
          }
          await new Promise((resolve) => setImmediate(resolve));
        }
      })();
      const isRefusedOften = async () => (await refusedSelects(look)) >= 5;
      await vi.waitUntil(isRefusedOften, { timeout: 30_000, interval: 20 });
      isOver = true;
      await trying;
      expect(answers).toContain('Redis has no database 2');
      expect(answers).not.toContain('done');
      await expect(store.ping()).rejects.toMatchObject({ code: 'unavailable' });
      expect(await look.dbsize()).toBe(0);
    }
    await using _again = await startRedisServer({ port });
    await vi.waitFor(() => store.ping(), { timeout: 20_000, interval: 20 });
    expect(logged.slice(0, 3)).toEqual([
      'lost the connection to Redis',
      'Redis refuses the database in REDIS_URL',
      'connected to Redis again',
    ]);
  });

  test('is waited for while the user cannot select it', async () => {
    await using server = await startRedisServer();
    using look = lookAt(server);
    const rule = (...words: string[]) => look.call('ACL', 'SETUSER', 'few', ...words);
    await rule('on', '>pw', '~*', '&*', '+@all');
    await using store = await open(`${server.url.replace('redis://', 'redis://few:pw@')}/2`);
    await createFree(store);
    await rule('-select');
    await look.call('CLIENT', 'KILL', 'USER', 'few');
    const refused = () =>
      expect(store.ping()).rejects.toThrow(
        'Redis does not allow the user of REDIS_URL to select database 2 (NOPERM)',
      );
    await vi.waitFor(refused, { timeout: 20_000, interval: 20 });
    expect(await look.dbsize()).toBe(0);
    await rule('+select');
    await vi.waitFor(() => store.ping(), { timeout: 20_000, interval: 20 });
    expect(await look.dbsize()).toBe(0);
  });
});

const answerTo = (name: string, message: string) =>
  Object.assign(new ReplyError(message), { command: { name, args: ['1'] } });

test.each([
  ['ERR DB index is out of range', 'Redis has no database 1'],
  ['ERR SELECT is not allowed in cluster mode', 'Redis has no database 1'],
  [
    "NOPERM this user has no permissions to run the 'select' command or its subcommand",
    'Redis does not allow the user of REDIS_URL to select database 1 (NOPERM)',
  ],
  ["ERR unknown command 'select'", 'Redis did not select database 1 (ERR)'],
  ['ERR Only 0th database is supported', 'Redis did not select database 1 (ERR)'],
  ['ERR max number of clients reached', undefined],
  ['BUSY Redis is busy running a script', undefined],
  ['NOAUTH Authentication required.', undefined],
])('SELECT answered with “%s” means: %s', (answer, message) => {
  expect(databaseError(answerTo('select', answer), 1)?.message).toBe(message);
  expect(databaseError(answerTo('auth', answer), 1)).toBeUndefined();
});
