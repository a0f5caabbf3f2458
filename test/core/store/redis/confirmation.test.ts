import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { systemTimers } from '../../../../src/core/lib/timers.ts';
import { Confirmation } from '../../../../src/core/store/redis/confirmation.ts';
import { canStartRedis, startRedisServer } from '../../../support/redis.ts';

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

  test('does not come from another database, where its own can no longer be selected', async () => {
    await using server = await startRedisServer();
    const look = new Redis(server.url);
    const rule = (...words: string[]) => look.call('ACL', 'SETUSER', 'few', ...words);
    await rule('on', '>pw', '~*', '&*', '+@all');
    const options = { username: 'few', password: 'pw', db: 2 };
    const redis = new Redis(server.port, '127.0.0.1', options);
    await redis.set('k', '1');
    const confirmation = new Confirmation(redis, { replicas: 0 }, systemTimers, 1_500);
    await rule('-select');
    await expect(confirmation.confirm('{0}:refused')).rejects.toThrow();
    expect(await look.dbsize()).toBe(0);
    await rule('+select');
    await confirmation.confirm('{0}:selected');
    expect(await look.dbsize()).toBe(0);
    expect(await redis.exists('{0}:selected')).toBe(1);
    await confirmation.close();
    for (const each of [redis, look]) each.disconnect();
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
