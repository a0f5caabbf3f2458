import { Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../lib/redis-address.ts';
import type { Timers } from '../../lib/timers.ts';
import { type StoreConfigError, StoreError } from '../store.ts';
import { clusterLink } from './cluster-link.ts';
import { databaseError } from './database-error.ts';
import {
  ANSWER_MS,
  closeConnection,
  connectionOptions,
  type Link,
  type LinkNeeds,
  logConnection,
  reconnectInMs,
  requireDatabase,
} from './link.ts';
import { answerWord, isNotWritten } from './redis-failure.ts';

export function createLink(address: RedisAddress, needs: LinkNeeds): Link {
  return address.mode.kind === 'cluster'
    ? clusterLink(address, needs)
    : singleLink(address, address.mode, needs);
}

type SingleMode = Exclude<RedisAddress['mode'], { kind: 'cluster' }>;

/** One connection to one server: the configured one, or the primary according to Sentinel. */
function singleLink(address: RedisAddress, mode: SingleMode, needs: LinkNeeds): Link {
  const redis = new Redis({
    ...connectionOptions(address, needs.connectTimeoutMs),
    ...whereabouts(address, mode),
    db: mode.database,
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: reconnectInMs,
    // A primary that became a replica keeps its connections: look for the new one.
    reconnectOnError: (error) => answerWord(error.message) === 'READONLY',
  });
  for (const { name, lua } of needs.scripts) redis.defineCommand(name, { lua });
  requireDatabase(redis);
  logConnection(redis, needs.logger, {});
  const refusal = watchDatabase(redis, mode.database, needs.logger);
  const isReady = () => redis.status === 'ready';
  return {
    commands: redis,
    connect: () => void redis.connect().catch(() => undefined),
    isReady,
    nodes: () => [redis],
    nodeOf: () => (isReady() ? redis : undefined),
    addressOf: () => undefined,
    onReady: (listener) => void redis.on('ready', () => listener(redis)),
    onError: (listener) => void redis.on('error', listener),
    refusal,
    close: () => closeConnection(redis),
  };
}

/** Returns why the database was refused on the last connection. Logs it once after each lost connection. */
function watchDatabase(
  redis: Redis,
  database: number,
  logger: LinkNeeds['logger'],
): () => StoreConfigError | undefined {
  let refusal: StoreConfigError | undefined;
  // At the start the error says it.
  let isLogged = true;
  redis.on('error', (error: Error) => {
    if (isNotWritten(error)) return;
    refusal = databaseError(error, database);
    if (refusal === undefined || isLogged) return;
    isLogged = true;
    const { message: why, fix } = refusal;
    logger.warn({ why, fix }, 'Redis refuses the database in REDIS_URL');
  });
  redis.on('ready', () => {
    refusal = undefined;
    isLogged = false;
  });
  return () => refusal;
}

function whereabouts({ hosts, tls }: RedisAddress, mode: SingleMode) {
  if (mode.kind === 'standalone') return { ...hosts[0] } satisfies RedisOptions;
  return {
    sentinels: hosts.map((host) => ({ ...host })),
    name: mode.name,
    sentinelCommandTimeout: ANSWER_MS,
    sentinelRetryStrategy: reconnectInMs,
    ...(mode.password !== undefined && { sentinelPassword: mode.password }),
    ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
  } satisfies RedisOptions;
}

/**
 * Connects, and waits until every server can be asked. Throws StoreError `unavailable` after `readyMs`, and
 * StoreConfigError as soon as the database is refused.
 */
export async function untilReady(link: Link, timers: Timers, readyMs: number): Promise<void> {
  let cause = 'no answer';
  let cancel = () => {};
  try {
    await new Promise<void>((resolve, reject) => {
      link.onError((error) => {
        const refusal = link.refusal();
        if (refusal !== undefined) reject(refusal);
        // That ioredis cannot write does not say why.
        else if (!isNotWritten(error)) cause = errorWord(error);
      });
      link.onReady(() => {
        if (link.isReady()) resolve();
      });
      cancel = timers.after(readyMs, () =>
        reject(new StoreError('unavailable', `Redis is not ready: ${cause}`)),
      );
      link.connect();
    });
  } finally {
    cancel();
  }
}

/** A code without arguments or addresses: `ECONNREFUSED`, `WRONGPASS`. */
function errorWord(error: Error): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return /\b[A-Z]{3,}\b/.exec(error.message)?.[0] ?? 'no connection';
}
