import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { createRedisStore } from '../../../src/store/redis/create-redis-store.ts';
import { redisForTests } from '../../support/redis.ts';
import { silent } from '../redis-world.ts';
import { createFree } from '../store-world.ts';
import { type FlushingServer, startFlushingServer } from './flushing-server.ts';

const url = await redisForTests();

/** Servers flush once a second; less leaves room between one wait and two on a busy machine. */
const FLUSH_MS = 700;

const startServer = () => startFlushingServer(Number(new URL(url ?? '').port || 6379));
const open = (server: FlushingServer) =>
  createRedisStore({
    url: server.url,
    namespace: `test-${randomBytes(6).toString('hex')}`,
    logger: silent,
    auditMs: 1_000,
    confirm: 'aof',
  });

test.skipIf(url === undefined)(
  'a click is answered when it is on the disk, and not before',
  async () => {
    await using server = await startServer();
    await using store = await open(server);
    let isCreated = false;
    const creating = createFree(store).then(() => {
      isCreated = true;
    });
    await vi.waitUntil(() => server.waiting === 1, { timeout: 20_000, interval: 1 });
    expect(isCreated).toBe(false);
    server.flush();
    await creating;
  },
);

test.skipIf(url === undefined)('what did not get to the disk is unknown', async () => {
  await using server = await startServer();
  await using store = await open(server);
  server.reaches(0);
  const outcome = expect(createFree(store)).rejects.toMatchObject({ code: 'unknown' });
  await vi.waitUntil(() => server.waiting === 1, { timeout: 20_000, interval: 1 });
  server.flush();
  await outcome;
});

test.skipIf(url === undefined)('of many clicks none waits for two flushes', async () => {
  await using server = await startServer();
  await using store = await open(server);
  const flushing = setInterval(() => server.flush(), FLUSH_MS);
  const startedAt = performance.now();
  const clicks: Promise<number>[] = [];
  await new Promise<void>((resolve) => {
    const clicking = setInterval(() => {
      const at = performance.now();
      clicks.push(createFree(store).then(() => performance.now() - at));
      if (at - startedAt < 2_500) return;
      clearInterval(clicking);
      resolve();
    }, 10);
  });
  const tookMs = await Promise.all(clicks);
  clearInterval(flushing);
  expect(tookMs.length).toBeGreaterThan(100);
  expect(Math.max(...tookMs)).toBeLessThan(2 * FLUSH_MS - 100);
});
