import type { Redis } from 'ioredis';

const known = new WeakMap<object, Promise<string>>();

/**
 * Which life of which server a connection leads to; asked once for each connection. Rejects when the
 * server does not tell.
 */
export async function runIdOf(redis: Redis): Promise<string> {
  const { stream } = redis;
  const asked = known.get(stream) ?? askRunId(redis);
  known.set(stream, asked);
  asked.catch(() => known.delete(stream));
  const runId = await asked;
  if (redis.stream !== stream) throw new Error('the connection was lost');
  return runId;
}

async function askRunId(redis: Redis): Promise<string> {
  const [, runId] = /^run_id:(\w+)/m.exec(await redis.info('server')) ?? [];
  if (runId === undefined) throw new Error('the server does not tell its run_id');
  return runId;
}
