import { Redis, type RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../lib/redis-address.ts';
import type { Link, LinkNeeds } from './link.ts';
import {
  ANSWER_MS,
  closeConnection,
  connectionOptions,
  logConnection,
  reconnectInMs,
} from './link-options.ts';

type SingleMode = Exclude<RedisAddress['mode'], { kind: 'cluster' }>;

/** One connection to one server: the one at the address, or the one that Sentinel calls the primary. */
export function singleLink(address: RedisAddress, mode: SingleMode, needs: LinkNeeds): Link {
  const redis = new Redis({
    ...connectionOptions(address, needs.connectTimeoutMs),
    ...whereabouts(address, mode),
    db: mode.database,
    lazyConnect: true,
    enableOfflineQueue: false,
    retryStrategy: reconnectInMs,
    // A primary that became a replica keeps its connections: look for the new one.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  for (const { name, lua } of needs.scripts) redis.defineCommand(name, { lua });
  logConnection(redis, needs.logger, {});
  const isReady = () => redis.status === 'ready';
  return {
    commands: redis,
    connect: () => void redis.connect().catch(() => undefined),
    isReady,
    nodes: () => [redis],
    nodeOf: () => (isReady() ? redis : undefined),
    onReady: (listener) => void redis.on('ready', () => listener(redis)),
    onError: (listener) => void redis.on('error', listener),
    close: () => closeConnection(redis),
  };
}

function whereabouts({ hosts, tls }: RedisAddress, mode: SingleMode): RedisOptions {
  if (mode.kind === 'standalone') return { ...hosts[0] };
  return {
    sentinels: hosts.map((host) => ({ ...host })),
    name: mode.name,
    sentinelCommandTimeout: ANSWER_MS,
    sentinelRetryStrategy: reconnectInMs,
    ...(mode.password !== undefined && { sentinelPassword: mode.password }),
    ...(tls && { sentinelTLS: {}, enableTLSForSentinelMode: true }),
  };
}
