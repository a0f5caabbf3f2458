import process from 'node:process';
import { startRedisServer } from '../bench/support/redis-server.ts';

/** Tells a worker where the server is: a worker can be killed at any time, and must not take the server with it. */
export const REDIS_VARIABLE = 'FUZZ_REDIS_URL';

/** Starts a server that ends with this process; returns its address, null: there is no `redis-server` here. */
export async function startRedis(): Promise<string | null> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => process.exit(1));
  try {
    return (await startRedisServer()).url;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    process.stderr.write(`\n*** Nothing is tried on a Redis: ${reason}. ***\n\n`);
    return null;
  }
}
