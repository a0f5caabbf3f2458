import { randomBytes } from 'node:crypto';
import { Cluster } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { system } from '../../../../src/core/lib/system.ts';
import {
  createRedisStore,
  type RedisStoreOptions,
} from '../../../../src/core/store/redis/create-redis-store.ts';
import { redisKeys } from '../../../../src/core/store/redis/keys.ts';
import type { Store } from '../../../../src/core/store/store.ts';
import { canStartRedis } from '../../../support/redis.ts';
import { shardedCheckpointContract } from '../checkpoint-contract.ts';
import { storeContract } from '../contract.ts';
import { formContract } from '../form-contract.ts';
import { listsContract } from '../lists-contract.ts';
import { letTimePass, redisPlace, silent, untilLater } from '../redis-world.ts';
import { createFree, createHeld, leased, type StoreWorld, save, saved } from '../store-world.ts';
import { type ClusterServers, startCluster } from './cluster-servers.ts';

describe.skipIf(!(await canStartRedis()))('the Redis store on a Cluster of three nodes', () => {
  let servers: ClusterServers;
  let look: Cluster;
  beforeAll(async () => {
    servers = await startCluster();
    look = new Cluster(servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port })));
  });
  afterAll(async () => {
    look.disconnect();
    await servers[Symbol.asyncDispose]();
  });

  const openStore = (namespace: string, options: Partial<RedisStoreOptions> = {}) =>
    createRedisStore({
      ...system,
      url: servers.url,
      namespace,
      logger: silent,
      ...options,
    });

  async function openWorld(
    options: Partial<RedisStoreOptions> = {},
  ): Promise<StoreWorld & { readonly namespace: string }> {
    const namespace = newNamespace();
    const stores = await Promise.all([
      openStore(namespace, options),
      openStore(namespace, options),
    ]);
    return {
      namespace,
      stores,
      pass: async (ms) => letTimePass(look, await keysOf(look, namespace), ms),
      later: () => untilLater(stores[0]),
      async [Symbol.asyncDispose]() {
        for (const store of stores) await store[Symbol.asyncDispose]();
      },
    };
  }

  storeContract(() => openWorld());
  listsContract(() => openWorld());
  formContract(async () => {
    const nodes = servers.nodes.map(({ port }) => ({ host: '127.0.0.1', port }));
    return redisPlace(servers.url, new Cluster(nodes));
  });
  shardedCheckpointContract(openWorld);

  test('records spread over all nodes', async () => {
    await using world = await openWorld();
    const [store] = world.stores;
    await Promise.all(Array.from({ length: 60 }, () => createFree(store)));
    for (const node of look.nodes('master')) {
      expect(await node.keys(`${world.namespace}:*:r:*`)).not.toEqual([]);
    }
    expect((await store.claim('people', 100)).held).toHaveLength(60);
    expect(store.wentBackAt()).toBe(0);
  });

  test('scripts that the nodes have forgotten are sent again', async () => {
    await using world = await openWorld();
    const [store] = world.stores;
    const ids = await Promise.all(Array.from({ length: 30 }, () => createFree(store)));
    await Promise.all(look.nodes('master').map((node) => node.script('FLUSH')));
    const signals = ids.map((id) => store.signal(id, { id: 's', body: '' }, { hold: true }));
    for (const signal of await Promise.all(signals)) leased(signal);
  });

  test('records whose slot has moved are found at once, and only once', async () => {
    await using world = await openWorld();
    const { namespace } = world;
    const [store] = world.stores;
    const held = await createHeld(store);
    const [shard = ''] = held.record.id.split('-');
    const key = redisKeys(namespace).shards().replace('{0}', `{${shard}}`);
    const [from] = await holdersOf(look, `${namespace}:{${shard}}:*`);
    const to = servers.nodes.find(({ port }) => port !== from);
    if (to === undefined) throw new Error('no other node');
    await servers.moveSlotOf(key, to);
    const signal = { id: 's', body: '' };
    expect(await store.signal(held.record.id, signal, { hold: true })).toEqual({ kind: 'queued' });
    // It was sent to the node that had it before: that another one answered is known with the answer.
    expect(store.wentBackAt()).toBeGreaterThan(0);
    expect(saved(await save(store, held.lease)).inbox).toHaveLength(1);
    expect(await holdersOf(look, `${namespace}:{${shard}}:r:*`)).toEqual([to.port]);
  });

  test('calls to a node that hangs are unknown, and other nodes keep working', async () => {
    await using world = await openWorld();
    const { namespace } = world;
    const [store] = world.stores;
    const ids = await Promise.all(Array.from({ length: 60 }, () => createFree(store)));
    const [paused] = servers.nodes;
    const on = async (port: number) => {
      const node = look.nodes('master').find(({ options }) => options.port === port);
      const keys = (await node?.keys(`${namespace}:*:r:*`)) ?? [];
      return ids.filter((id) => keys.some((key) => key.endsWith(id.split('-').slice(1).join('-'))));
    };
    const [there, elsewhere] = [await on(paused?.port ?? 0), await on(servers.nodes[1]?.port ?? 0)];
    const signal = (id: string) => store.signal(id, { id: 's', body: '' }, { hold: true });
    paused?.pause();
    let isOver = false;
    const outcome = expect(signal(there[0] ?? ''))
      .rejects.toMatchObject({ code: 'unknown' })
      .finally(() => {
        isOver = true;
      });
    leased(await signal(elsewhere[0] ?? ''));
    expect(isOver).toBe(false);
    const claimed = await store.claim('people', 100);
    expect(claimed.held).toHaveLength(ids.length - there.length - 1);
    await outcome;
    paused?.resume();
    await eventually(() => allServe(store));
    // What the caller gave up was not done by the node when it went on.
    const held = leased(await eventually(() => signal(there[0] ?? '')));
    expect(held.claims).toBe(1);
  });

  test('a node that refuses writes does not keep due records on others from being claimed', async () => {
    await using world = await openWorld();
    const [store] = world.stores;
    const ids = await Promise.all(Array.from({ length: 60 }, () => createFree(store)));
    const [node] = look.nodes('master');
    const there = (await node?.keys(`${world.namespace}:*:r:*`))?.length ?? 0;
    await node?.config('SET', 'maxmemory', '1');
    const elsewhere = ids.length - there;
    expect((await store.claim('people', elsewhere - 1)).held).toHaveLength(elsewhere - 1);
    const { held, now, nextDueAt } = await store.claim('people', 100);
    expect(held).toHaveLength(1);
    // What it has is due still, and not looked for without a pause.
    expect(nextDueAt).toBeGreaterThan(now);
    await expect(store.claim('people', 100)).rejects.toMatchObject({ code: 'unavailable' });
    await node?.config('SET', 'maxmemory', '0');
    expect((await store.claim('people', 100)).held).toHaveLength(there);
  });

  test('a node that was killed is unavailable at once, and comes back by itself', async () => {
    const namespace = newNamespace();
    const logged: string[] = [];
    const log = (_: object, message: string) => void logged.push(message);
    await using store = await openStore(namespace, { logger: { info: log, warn: log } });
    await Promise.all(Array.from({ length: 60 }, () => createFree(store)));
    logged.length = 0;
    const [, , killed] = servers.nodes;
    for (const node of look.nodes('master')) {
      await node.config('SET', 'cluster-require-full-coverage', 'no');
    }
    const node = look.nodes('master').find(({ options }) => options.port === killed?.port);
    const there = (await node?.keys(`${namespace}:*:r:*`))?.length ?? 0;
    await killed?.kill();
    await vi.waitUntil(() => logged.length > 0, { timeout: 60_000, interval: 1 });
    const away = await store.ping();
    expect(away).toMatchObject({ ofShards: 16, servers: [`127.0.0.1:${killed?.port}`] });
    expect(away?.error.code).toBe('unavailable');
    // Slots do not wait for it: those that were there are kept for this process alone.
    const rate = { intervalMs: 60_000, burst: 2 };
    const names = Array.from({ length: 16 }, (_, i) => `slots-${i}`);
    for (const waits of [false, false, true]) {
      const paced = await Promise.all(names.map((name) => store.pace(name, rate)));
      expect(paced.map((waitMs) => waitMs > 0)).toEqual(names.map(() => waits));
    }
    const { held, size, now, nextDueAt } = await store.claim('people', 100);
    expect([held.length, size]).toEqual([60 - there, 60 - there]);
    expect(nextDueAt).toBeGreaterThan(now);
    await killed?.restart();
    await eventually(() => allServe(store));
    await eventually(async () => {
      await Promise.all(Array.from({ length: 60 }, () => createFree(store)));
    });
    expect(logged).toEqual([
      'lost the connection to Redis',
      'connected to Redis again',
      'Redis was restarted or replaced: checking what it may have lost',
    ]);
  });
});

const newNamespace = () => `test-${randomBytes(6).toString('hex')}`;

async function allServe(store: Store): Promise<void> {
  expect(await store.ping()).toBeNull();
}

/** Until the Cluster has taken a node in again it refuses. */
function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 60_000, interval: 50 });
}

async function keysOf(look: Cluster, namespace: string): Promise<readonly string[]> {
  const all = await Promise.all(look.nodes('master').map((node) => node.keys(`${namespace}:*`)));
  return all.flat();
}

/** Ports of the nodes that hold keys of a pattern. */
async function holdersOf(look: Cluster, pattern: string): Promise<readonly number[]> {
  const all = await Promise.all(
    look.nodes('master').map(async (node) => {
      const keys = await node.keys(pattern);
      return keys.length > 0 ? [node.options.port ?? 0] : [];
    }),
  );
  return all.flat();
}
