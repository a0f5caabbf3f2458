import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { system } from '../../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../../src/core/store/redis/create-redis-store.ts';
import { type StoreState, watchStore } from '../../../../src/core/store/watched-store.ts';
import { canStartRedis, type RedisServer, startRedisServer } from '../../../support/redis.ts';
import { silent } from '../redis-world.ts';
import { startCluster } from './cluster-servers.ts';

vi.setConfig({ maxConcurrency: 8, testTimeout: 300_000 });

interface Hurt {
  readonly server: RedisServer;
  readonly admin: Redis;
}

/** Each resolves when it is done; what it gives undoes it. */
const HURTS: Readonly<Record<string, (hurt: Hurt) => Promise<() => unknown>>> = {
  'is killed': async ({ server }) => {
    await server.kill();
    return () => server.restart();
  },
  'has stopped': async ({ server }) => {
    server.pause();
    return () => server.resume();
  },
  'has become a replica': async ({ admin }) => {
    await admin.replicaof('127.0.0.1', 1);
    return () => admin.replicaof('NO', 'ONE');
  },
  'cannot write its file': async ({ admin }) => {
    // Its snapshot cannot take its place: it refuses writes from then on (MISCONF).
    const [, dir] = await admin
      .config('GET', 'dir')
      .then((answer) => z.array(z.string()).parse(answer));
    await mkdir(join(String(dir), 'dump.rdb'));
    await admin.config('SET', 'save', '3600 1');
    await admin.bgsave();
    const refuses = () =>
      admin.set('x', '').then(
        () => false,
        () => true,
      );
    await vi.waitUntil(refuses, { timeout: 60_000, interval: 50 });
    return () => admin.config('SET', 'save', '');
  },
  'has no memory left': async ({ admin }) => {
    await admin.config('SET', 'maxmemory', '1');
    return () => admin.config('SET', 'maxmemory', '0');
  },
  'is loading': async ({ server, admin }) => {
    await admin.call('DEBUG', 'POPULATE', '1000', 'key', '10000');
    await admin.save();
    const restarted = server.restart();
    return () => restarted;
  },
};

/** Slow only when there is something to load. */
const settings = {
  'key-load-delay': '10000',
  'loading-process-events-interval-bytes': '1024',
  rdbcompression: 'no',
  'enable-debug-command': 'yes',
};

describe.skipIf(!(await canStartRedis()))('a store whose Redis', () => {
  test.concurrent.each(Object.entries(HURTS))(
    '%s is failing within seconds, and up again afterwards',
    async (_, hurt) => {
      await using server = await startRedisServer({ settings });
      await using store = await createRedisStore({
        ...system,
        url: server.url,
        logger: silent,
      });
      const admin = new Redis(server.url);
      admin.on('error', () => undefined);
      const { store: watched, health } = watchStore(store, system);
      const states: StoreState[] = [];
      health.start(watched, (state) => states.push(state));
      try {
        const before = performance.now();
        const undo = await hurt({ server, admin });
        await vi.waitUntil(() => !health.isUp(), { timeout: 60_000, interval: 50 });
        expect(performance.now() - before).toBeGreaterThan(2_000);
        await undo();
        await vi.waitUntil(() => health.isUp(), { timeout: 60_000, interval: 50 });
        expect(states.at(0)).toBe('failing');
        expect(states.at(-1)).toBe('up');
      } finally {
        health.stop();
        admin.disconnect();
      }
    },
  );

  test.concurrent('fails once and then works stays up', async () => {
    await using server = await startRedisServer();
    await using store = await createRedisStore({
      ...system,
      url: server.url,
      logger: silent,
    });
    let now = 0;
    const waiting: (() => void)[] = [];
    const { store: watched, health } = watchStore(store, {
      clock: { monotonic: () => now },
      timers: {
        ...system.timers,
        after(_, callback) {
          waiting.push(callback);
          return () => {};
        },
      },
    });
    const states: StoreState[] = [];
    health.start(watched, (state) => states.push(state));
    const admin = new Redis(server.url);
    await admin.config('SET', 'maxmemory', '1');
    await expect(watched.put('k', 'v', 1_000)).rejects.toMatchObject({ code: 'unavailable' });
    await admin.config('SET', 'maxmemory', '0');
    now = 1_000;
    const tries = waiting.length;
    waiting.at(-1)?.();
    // The next time that it is tried is set when this one is over.
    await vi.waitUntil(() => waiting.length > tries, { timeout: 60_000, interval: 5 });
    now = 5_000;
    expect(states).toEqual([]);
    expect(health.isUp()).toBe(true);
    health.stop();
    admin.disconnect();
  });

  test.concurrent('loses one of three nodes stays up, and names the part that is away', async () => {
    await using servers = await startCluster({ 'cluster-require-full-coverage': 'no' });
    await using store = await createRedisStore({
      ...system,
      url: servers.url,
      logger: silent,
    });
    const { store: watched, health } = watchStore(store, system);
    const heard: string[] = [];
    const isUp: boolean[] = [];
    health.start(watched, (state, _error, part) => {
      heard.push(`${state} ${part === null ? 'all' : `${part.shards} on ${part.servers}`}`);
      isUp.push(health.isUp());
    });
    const [first, ...others] = servers.nodes;
    const isIn = (words: string) =>
      vi.waitUntil(() => heard.at(-1) === words, { timeout: 60_000, interval: 20 });
    try {
      await first?.kill();
      const part = `6 on 127.0.0.1:${first?.port}`;
      await isIn(`down ${part}`);
      await Promise.all(others.map((node) => node.kill()));
      await isIn('down all');
      await Promise.all(servers.nodes.map((node) => node.restart()));
      await isIn('up all');
      expect(heard.slice(0, 2)).toEqual([`failing ${part}`, `down ${part}`]);
      // Ready for as long as anything can be stored.
      expect(isUp).toEqual(heard.map((words) => !/^(?:failing|down) all/.test(words)));
    } finally {
      health.stop();
    }
  });
});
