import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { RedisConfirm } from '../../../../src/core/config/config.ts';
import { system } from '../../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../../src/core/store/redis/create-redis-store.ts';
import { canStartRedis, type RedisServer, startRedisServer } from '../../../support/redis.ts';
import { createFree, createHeld, leased, newApproval, save, saved } from '../store-world.ts';

describe.skipIf(!(await canStartRedis()))('confirmation by a replica', () => {
  let primary: RedisServer;
  let replica: RedisServer;
  let look: Redis;
  let logged: string[];
  const logger = {
    info: (_: object, message: string) => void logged.push(message),
    warn: (_: object, message: string) => void logged.push(message),
  };
  const open = (confirm: RedisConfirm = { replicas: 1 }, strict = false) => {
    logged = [];
    const namespace = `test-${randomBytes(6).toString('hex')}`;
    const options = { url: primary.url, namespace, logger };
    return createRedisStore({ ...system, ...options, confirm, strict });
  };
  const attached = () =>
    vi.waitUntil(async () => (await look.info('replication')).includes('state=online'), {
      timeout: 60_000,
      interval: 20,
    });

  beforeAll(async () => {
    // A replica that takes part at once, and is noticed at once when it is gone.
    const settings = { 'repl-diskless-sync-delay': '0', 'repl-timeout': '60' };
    primary = await startRedisServer({ appendonly: true, settings });
    replica = await startRedisServer({
      settings: { ...settings, replicaof: `127.0.0.1 ${primary.port}` },
    });
    look = new Redis(primary.url);
    await attached();
  });
  afterAll(async () => {
    look.disconnect();
    await replica.stop();
    await primary.stop();
  });

  test('an answered write has reached the replica', async () => {
    await using store = await open();
    const there = new Redis(replica.url);
    for (let i = 0; i < 100; i += 1) {
      const id = await createFree(store);
      const [, member] = /^\d+-(.*)$/.exec(id) ?? [];
      const name = (await there.keys(`*:r:${member}`))[0] ?? '';
      leased(await store.signal(id, { id: 's', body: 'x' }, { hold: true }));
      expect(await there.hexists(name.replace(':r:', ':i:'), 's')).toBe(1);
    }
    there.disconnect();
    expect(logged).toEqual([]);
  });

  test('many writes at once share confirmations', async () => {
    await using store = await open();
    await createFree(store);
    const waits = async () =>
      Number(/cmdstat_wait:calls=(\d+)/.exec(await look.info('commandstats'))?.[1]);
    const before = await waits();
    await Promise.all(Array.from({ length: 500 }, () => createFree(store)));
    expect((await waits()) - before).toBeLessThan(50);
  });

  test('a save that need not be confirmed does not wait for one that does', async () => {
    await using store = await open();
    const [first, second] = [await createHeld(store), await createHeld(store)];
    replica.pause();
    const ended: string[] = [];
    const saves = [
      save(store, first.lease, { durable: true }).catch(() => ended.push('confirmed')),
      save(store, second.lease).then(() => ended.push('plain')),
    ];
    await Promise.all(saves);
    replica.resume();
    await attached();
    expect(ended).toEqual(['plain', 'confirmed']);
  });

  test('while the replica is silent, clicks become unknown in time, and other work continues', async () => {
    await using store = await open();
    const id = await createFree(store);
    const held = await createHeld(store);
    replica.pause();
    const startedAt = performance.now();
    const waiting = [
      store.signal(id, { id: 's', body: '' }, { hold: true }),
      store.create({ ...newApproval, uniqueKey: 'u' }, { hold: false }),
      save(store, held.lease, { durable: true }),
    ];
    let areOver = false;
    const outcomes = Promise.allSettled(waiting).finally(() => {
      areOver = true;
    });
    saved(await save(store, held.lease, { data: '{"n":1}' }));
    await store.claim('people', 10);
    expect(areOver).toBe(false);
    for (const outcome of await outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'unknown' } });
    }
    expect(performance.now() - startedAt).toBeGreaterThan(1_400);
    replica.resume();
    const again = await vi.waitFor(
      () => store.create({ ...newApproval, uniqueKey: 'u' }, { hold: false }),
      { timeout: 60_000, interval: 20 },
    );
    // It was done, and only not confirmed.
    expect(again.kind).toBe('exists');
    expect(logged).toEqual([
      'Redis does not confirm writes: see REDIS_CONFIRM',
      'Redis confirms writes again',
    ]);
  });

  test('without enough replicas nothing is acknowledged, and a strict start is refused', async () => {
    await using store = await open({ replicas: 2 });
    expect(logged).toEqual([expect.stringContaining('2 replicas and 1 are connected')]);
    await expect(createFree(store)).rejects.toMatchObject({
      code: 'unknown',
      message: 'create: not confirmed by Redis',
    });
    await expect(open({ replicas: 2 }, true)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('2 replicas and 1 are connected'),
    });
    expect(logged).toEqual([]);
  });

  test('a restarted primary does not confirm writes from before its restart', async () => {
    await using store = await open();
    const id = await createFree(store);
    replica.pause();
    const signal = store.signal(id, { id: 's', body: '' }, { hold: true });
    const outcome = expect(signal).rejects.toMatchObject({ code: 'unknown' });
    const inbox = () => look.keys('*:i:*');
    await vi.waitUntil(async () => (await inbox()).length > 0, { timeout: 60_000, interval: 1 });
    const killed = primary.kill();
    replica.resume();
    await killed;
    await primary.restart();
    await outcome;
    await attached();
    await vi.waitFor(() => createFree(store), { timeout: 60_000, interval: 20 });
  });

  test('a strict start is refused with a message that names every danger', async () => {
    await using server = await startRedisServer({
      settings: { 'maxmemory-policy': 'allkeys-lru' },
    });
    const options = { url: server.url, logger };
    logged = [];
    await expect(createRedisStore({ ...system, ...options, strict: true })).rejects.toThrow(
      /set maxmemory-policy noeviction.*keeps nothing on disk/,
    );
    expect(logged).toEqual([]);
    await using store = await createRedisStore({ ...system, ...options });
    expect(logged).toHaveLength(2);
    await createFree(store);
  });

  test('a server that answers before the write is on disk causes a warning, and a strict start is refused', async () => {
    await using server = await startRedisServer({
      appendonly: true,
      settings: { appendfsync: 'everysec' },
    });
    const admin = new Redis(server.url);
    // Whether the server could be waited for or not.
    const options = { url: server.url, logger, confirm: 'off' } as const;
    const opened = async () => {
      logged = [];
      const store = await createRedisStore({ ...system, ...options });
      await store[Symbol.asyncDispose]();
      return logged;
    };
    const sentence =
      /\(appendfsync everysec\).*acknowledged clicks of the last seconds can be lost/;
    expect(await opened()).toEqual([expect.stringMatching(sentence)]);
    await expect(createRedisStore({ ...system, ...options, strict: true })).rejects.toThrow(
      sentence,
    );

    await admin.config('SET', 'appendfsync', 'always');
    expect(await opened()).toEqual([]);
    await admin.config('SET', 'no-appendfsync-on-rewrite', 'yes');
    expect(await opened()).toEqual([expect.stringContaining('set no-appendfsync-on-rewrite no')]);
    admin.disconnect();
  });

  test('a server that forbids CONFIG is used, strict or not', async () => {
    await look.call('ACL', 'SETUSER', 'managed', 'on', '>pw', '~*', '&*', '+@all', '-config');
    const url = primary.url.replace('redis://', 'redis://managed:pw@');
    logged = [];
    const options = { url, logger, confirm: 'off', strict: true } as const;
    await using store = await createRedisStore({
      ...system,
      ...options,
      namespace: 'test-managed',
    });
    await createFree(store);
    expect(logged).toEqual([expect.stringContaining('does not tell its appendfsync')]);
  });
});
