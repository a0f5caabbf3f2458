import type { Redis, RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../lib/redis-address.ts';
import type { StoreLogger } from '../store.ts';

/** No answer after this long: the caller learns that it is not known whether the command was done. */
export const ANSWER_MS = 1_500;
/** A connection on which nothing comes back for this long is given up and made anew. */
const SILENCE_MS = 4_000;
const LONGEST_RECONNECT_MS = 1_000;

export function reconnectInMs(attempt: number): number {
  return Math.min(25 * 2 ** Math.min(attempt, 10), LONGEST_RECONNECT_MS);
}

/** What every connection is made with: a command is sent at once and once, or not at all. */
export function connectionOptions(
  { username, password, tls }: RedisAddress,
  connectTimeoutMs: number,
) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    commandTimeout: ANSWER_MS,
    socketTimeout: SILENCE_MS,
    connectTimeout: connectTimeoutMs,
    // Either alone is not enough: without the first a command whose connection broke waits for the
    // next one, without the second it never ends.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  } satisfies RedisOptions;
}

/** Logs that the connection is lost, and that it is back, once each. */
export function logConnection(redis: Redis, logger: StoreLogger, facts: object): void {
  let state: 'new' | 'connected' | 'lost' = 'new';
  redis.on('error', () => undefined);
  redis.on('close', () => {
    if (state !== 'connected' || redis.status === 'end') return;
    state = 'lost';
    logger.warn(facts, 'lost the connection to Redis');
  });
  redis.on('ready', () => {
    if (state === 'lost') logger.info(facts, 'connected to Redis again');
    state = 'connected';
  });
}

/** Closes a connection and waits for its end. */
export async function closeConnection(redis: Redis): Promise<void> {
  // Between two connections there is nothing whose end could be waited for.
  const open = ['connecting', 'connect', 'ready'].includes(redis.status);
  const ended = new Promise<void>((resolve) => redis.once('end', () => resolve()));
  redis.disconnect();
  if (open) await ended;
}
