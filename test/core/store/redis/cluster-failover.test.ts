import { readFile } from 'node:fs/promises';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { system } from '../../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../../src/core/store/redis/create-redis-store.ts';
import { canStartRedis, type RedisServer } from '../../../support/redis.ts';
import { silent } from '../redis-world.ts';
import { collect, createFree, createHeld, leased, save, saved } from '../store-world.ts';
import { type ClusterServers, startCluster } from './cluster-servers.ts';

describe.skipIf(!(await canStartRedis()))(
  'a Cluster that requires a login, and loses a node',
  () => {
    let servers: ClusterServers;
    let all: readonly RedisServer[];
    let replica: RedisServer;
    beforeAll(async () => {
      servers = await startCluster();
      replica = await servers.addReplica(firstOf(servers.nodes));
      all = [...servers.nodes, replica];
      await Promise.all(all.map(letUserIn));
    });
    afterAll(() => servers[Symbol.asyncDispose]());

    test('confirms only writes that its replica has', async () => {
      const options = { url: servers.url, logger: silent, namespace: 'confirmed' };
      await using store = await createRedisStore({
        ...system,
        ...options,
        confirm: { replicas: 1 },
      });
      const creating = Array.from({ length: 60 }, () => createFree(store));
      const outcomes = await Promise.allSettled(creating);
      const confirmed = outcomes.filter(({ status }) => status === 'fulfilled');
      const look = new Redis(firstOf(servers.nodes).url);
      expect(confirmed.length).toBeGreaterThan(0);
      expect(await look.keys('confirmed:*:r:*')).toHaveLength(confirmed.length);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected')
          expect(outcome.reason).toMatchObject({ code: 'unknown' });
      }
      expect(confirmed.length).toBeLessThan(60);
      look.disconnect();
    });

    test('goes on with what the replica had, with no more rights than the documents ask for', async () => {
      const warned: string[] = [];
      await using store = await createRedisStore({
        ...system,
        url: servers.url.replace('://', '://gatepost:p%40ss@'),
        logger: { info: () => undefined, warn: (_, message) => void warned.push(message) },
        confirm: 'off',
      });
      expect(warned).toEqual([
        expect.stringContaining('keeps nothing on disk'),
        expect.stringContaining('set cluster-require-full-coverage no'),
      ]);
      const options = { url: servers.url, logger: silent };
      await using idle = await createRedisStore({ ...system, ...options, confirm: 'off' });
      const audit = [{ action: 'a', record: null, actor: 'U1', facts: {} }];
      const ids = await Promise.all(Array.from({ length: 60 }, () => createFree(store, { audit })));
      const others = await Promise.all(Array.from({ length: 30 }, () => createFree(store)));
      const failing = await membersOn(firstOf(servers.nodes));
      const holds = await Promise.all(Array.from({ length: 20 }, () => createHeld(store)));
      await reached(firstOf(servers.nodes), replica);
      await firstOf(servers.nodes).kill();
      await vi.waitFor(async () => expect(await store.ping()).toBeNull(), {
        timeout: 60_000,
        interval: 50,
      });

      const signal = { id: 's', body: '' };
      // It has written nothing before, and notices it for the shards that went over.
      const hasFailed = (id: string) => failing.has(id.replace(/^\d+-/, ''));
      for (const isLater of [false, true]) {
        for (const id of others.filter((each) => hasFailed(each) === isLater)) {
          leased(await eventually(() => idle.signal(id, signal, { hold: true })));
          expect(idle.wentBackAt() > 0).toBe(isLater);
        }
      }
      for (const id of ids) {
        leased(await eventually(() => store.signal(id, signal, { hold: true })));
      }
      for (const { lease } of holds) saved(await save(store, lease));
      await store.put('k', 'v', 1_000);
      expect(await store.take('k')).toBe('v');
      await store.pause('p', 1);
      expect((await collect(store.readAudit({}))).length).toBe(60);
    });
  },
);

function firstOf(servers: readonly RedisServer[]): RedisServer {
  const [first] = servers;
  if (first === undefined) throw new Error('no server');
  return first;
}

/** Names of the records that a server has. */
async function membersOn({ url }: RedisServer): Promise<ReadonlySet<string>> {
  const look = new Redis(url);
  const keys = await look.keys('gatepost:*:r:*');
  look.disconnect();
  return new Set(keys.map((key) => key.replace(/^.*:r:/, '')));
}

/** Makes the user that docs/operations.md describes. */
async function letUserIn({ url }: RedisServer): Promise<void> {
  const text = await readFile(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const [, basic = '', cluster = '', config = ''] =
    /ACL user needs `([^`]+)`, and with a Cluster `([^`]+)`; `([^`]+)`/.exec(text) ?? [];
  const rights = [basic, cluster, config].flatMap((part) => part.split(' '));
  const admin = new Redis(url);
  await admin.call('ACL', 'SETUSER', 'gatepost', 'on', '>p@ss', ...rights);
  admin.disconnect();
}

/** Waits until a replica has all that its primary has. */
async function reached(primary: RedisServer, replica: RedisServer): Promise<void> {
  const [from, to] = [new Redis(primary.url), new Redis(replica.url)];
  const offset = async (redis: Redis) =>
    /(?:master_repl_offset|slave_repl_offset):(\d+)/.exec(await redis.info('replication'))?.[1];
  await vi.waitUntil(async () => (await offset(from)) === (await offset(to)), {
    timeout: 60_000,
    interval: 5,
  });
  for (const each of [from, to]) each.disconnect();
}

function eventually<T>(attempt: () => Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 60_000, interval: 50 });
}
