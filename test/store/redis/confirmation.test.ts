import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { systemTimers } from '../../../src/lib/timers.ts';
import { Confirmation } from '../../../src/store/redis/confirmation.ts';
import { canStartRedis, startRedisServer } from '../../support/redis.ts';

describe.skipIf(!(await canStartRedis()))('a confirmation', () => {
  test('comes from the server that acknowledged the write, not from one that took its place', async () => {
    await using first = await startRedisServer();
    await using second = await startRedisServer();
    await using front = await startFront(first.port);
    const redis = new Redis(front.port, '127.0.0.1', { retryStrategy: () => null });
    // No replica is waited for: all that can fail is the way to the server.
    const confirmation = new Confirmation(redis, { replicas: 0 }, systemTimers, 1_500);
    await redis.set('k', '1');
    await confirmation.confirm('{0}:before');

    await confirmation.close();
    const after = new Confirmation(redis, { replicas: 0 }, systemTimers, 1_500);
    front.leadTo(second.port);
    await redis.set('k', '2');
    await expect(after.confirm('{0}:after')).rejects.toThrow('the server has changed');
    const elsewhere = new Redis(second.url);
    expect(await elsewhere.exists('{0}:after')).toBe(0);
    await after.close();
    for (const each of [redis, elsewhere]) each.disconnect();
  });
});

/** An address behind which servers are exchanged, as a failover does; connections stay where they are. */
async function startFront(first: number) {
  let target = first;
  const server = createServer((client) => {
    const redis = connect(target, '127.0.0.1');
    client.on('error', () => redis.destroy());
    redis.on('error', () => client.destroy());
    client.pipe(redis).pipe(client);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    leadTo(port: number) {
      target = port;
    },
    async [Symbol.asyncDispose]() {
      server.close();
      await once(server, 'close');
    },
  };
}
