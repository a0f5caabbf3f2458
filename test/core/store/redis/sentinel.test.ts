import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { system } from '../../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../../src/core/store/redis/create-redis-store.ts';
import { canStartRedis, type RedisServer, startRedisServer } from '../../../support/redis.ts';
import { storeContract } from '../contract.ts';
import { openRedisWorld, silent } from '../redis-world.ts';
import { createFree, createHeld, leased, save, saved } from '../store-world.ts';

describe.skipIf(!(await canStartRedis()))('the Redis store with Sentinel', () => {
  let primary: RedisServer;
  let replica: RedisServer;
  let sentinel: RedisServer;
  let url: string;

  beforeAll(async () => {
    const settings = { 'repl-diskless-sync-delay': '0' };
    [primary, sentinel] = await Promise.all([
      startRedisServer({ settings }),
      startRedisServer({ sentinel: true }),
    ]);
    replica = await startRedisServer({
      settings: { ...settings, replicaof: `127.0.0.1 ${primary.port}` },
    });
    url = `redis+sentinel://127.0.0.1:1,127.0.0.1:${sentinel.port}/people`;
    await watch(sentinel, primary);
  });
  afterAll(() => Promise.all([sentinel, replica, primary].map((server) => server.stop())));

  describe('fulfils the store contract', () => {
    storeContract(() => openRedisWorld(primary.url, { url }));
  });

  test('a failover keeps what had reached the replica, and the connection comes back by itself', async () => {
    const logged: string[] = [];
    const log = (_: object, message: string) => void logged.push(message);
    await using store = await createRedisStore({
      ...system,
      url,
      logger: { info: log, warn: log },
      confirm: { replicas: 1 },
    });
    logged.length = 0;
    const acknowledged = await Promise.all(Array.from({ length: 50 }, () => createFree(store)));
    const [kept, taken] = [await createHeld(store), await createHeld(store)];
    saved(await save(store, kept.lease, { data: '{"n":1}', durable: true }));
    await primary.kill();
    await vi.waitFor(() => store.read(kept.record.id), { timeout: 60_000, interval: 20 });

    for (const id of acknowledged) expect(await store.read(id)).toBeDefined();
    expect(await store.read(kept.record.id)).toMatchObject({ data: '{"n":1}' });
    saved(await save(store, kept.lease, { data: '{"n":2}' }));
    // The same record in other hands: its first holder is lost.
    saved(await save(store, taken.lease, { next: { kind: 'release', lane: 'people', dueAt: 0 } }));
    expect((await store.claim('people', 100)).held).toHaveLength(51);
    expect(await save(store, taken.lease)).toEqual({ kind: 'lost' });
    await expect(createFree(store)).rejects.toMatchObject({ code: 'unknown' });

    await primary.restart();
    await vi.waitFor(() => createFree(store), { timeout: 60_000, interval: 50 });
    const signal = { id: 's', body: '' };
    const id = await createFree(store, { lane: 'background' });
    leased(await store.signal(id, signal, { hold: true }));
    expect(logged.slice(0, 2)).toEqual([
      'lost the connection to Redis',
      'connected to Redis again',
    ]);
  });

  test('a database that the primary lacks is refused', async () => {
    const options = { url: `${url}/99`, logger: silent };
    await expect(createRedisStore({ ...system, ...options })).rejects.toThrow(
      'Redis has no database 99',
    );
  });

  test('a name that the Sentinels do not know is unavailable', async () => {
    const other = url.replace('/people', '/nobody');
    const options = { url: other, logger: silent, readyMs: 300 };
    await expect(createRedisStore({ ...system, ...options })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });
});

/** Lets a Sentinel look after a server and wait for its replica; it acts alone and soon. */
async function watch(sentinel: RedisServer, primary: RedisServer): Promise<void> {
  const admin = new Redis(sentinel.url);
  await admin.call('SENTINEL', 'MONITOR', 'people', '127.0.0.1', primary.port, 1);
  await admin.call('SENTINEL', 'SET', 'people', 'down-after-milliseconds', 500);
  await admin.call('SENTINEL', 'SET', 'people', 'failover-timeout', 2_000);
  const knowsReplica = async () => {
    const replicas = await admin.call('SENTINEL', 'REPLICAS', 'people');
    return JSON.stringify(replicas).includes('"master-link-status","ok"');
  };
  await vi.waitUntil(knowsReplica, { timeout: 60_000, interval: 50 });
  admin.disconnect();
}
