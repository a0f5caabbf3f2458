import { randomBytes } from 'node:crypto';
import { expect, test, vi } from 'vitest';
import { system } from '../../../../src/core/lib/system.ts';
import { createRedisStore } from '../../../../src/core/store/redis/create-redis-store.ts';
import { redisForTests } from '../../../support/redis.ts';
import { silent } from '../redis-world.ts';
import { createFree } from '../store-world.ts';
import { type FlushingServer, startFlushingServer } from './flushing-server.ts';

const url = await redisForTests();

const startServer = () => startFlushingServer(Number(new URL(url ?? '').port || 6379));
const open = (server: FlushingServer) =>
  createRedisStore({
    ...system,
    url: server.url,
    namespace: `test-${randomBytes(6).toString('hex')}`,
    logger: silent,
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
    await vi.waitUntil(() => server.waiting === 1, { timeout: 60_000, interval: 1 });
    expect(isCreated).toBe(false);
    server.flush();
    await creating;
  },
);

test.skipIf(url === undefined)('a write that did not reach the disk is unknown', async () => {
  await using server = await startServer();
  await using store = await open(server);
  server.reaches(0);
  const outcome = expect(createFree(store)).rejects.toMatchObject({ code: 'unknown' });
  await vi.waitUntil(() => server.waiting === 1, { timeout: 60_000, interval: 1 });
  server.flush();
  await outcome;
});

test.skipIf(url === undefined)(
  'a click that comes while another waits for the disk needs no flush of its own',
  async () => {
    await using server = await startServer();
    await using store = await open(server);
    const waiting = (count: number) =>
      vi.waitUntil(() => server.waiting === count, { timeout: 60_000, interval: 1 });
    const first = createFree(store);
    await waiting(1);
    const second = createFree(store);
    await waiting(2);
    server.flush();
    await Promise.all([first, second]);
  },
);
