import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../lib/redis-address.ts';
import type { StoreConfigError, StoreLogger } from '../store.ts';
import type { Script } from './load-scripts.ts';

/** The way to one server, to the one that Sentinel names, or to the nodes of a Cluster. */
export interface Link {
  /** What commands with keys are sent with. */
  readonly commands: Redis | Cluster;
  /** Begins to connect; from then on connections are made again for ever. */
  connect(): void;
  /** True when each server that takes writes can be asked. */
  isReady(): boolean;
  /** All servers that take writes, connected or not. */
  nodes(): readonly Redis[];
  /** The server that holds a key; undefined when nothing can be sent to it now. */
  nodeOf(key: string): Redis | undefined;
  /** Where a key is, `host:port`, whether anything can be sent there or not; undefined: not known, or there is only one place. */
  addressOf(key: string): string | undefined;
  /** Calls with each server that can be asked anew. */
  onReady(listener: (node: Redis) => void): void;
  /** Calls with why something failed, for as long as nothing is ready. */
  onError(listener: (error: Error) => void): void;
  /** Why nothing can be sent, when it is the database; undefined otherwise. */
  refusal(): StoreConfigError | undefined;
  close(): Promise<void>;
}

export interface LinkNeeds {
  readonly scripts: readonly Script[];
  readonly logger: StoreLogger;
  readonly connectTimeoutMs: number;
}

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
    // Nothing here needs the newer protocol, whose greeting some proxies and managed servers refuse.
    protocol: 2,
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

/**
 * Keeps a connection from becoming ready in the wrong database. When SELECT fails during setup (refused,
 * or not answered in time), ioredis only emits an error and continues in database 0.
 */
export function requireDatabase(redis: Redis): void {
  redis.on('error', () => {
    // Still in setup: no command has been sent.
    if (redis.status === 'connect') redis.disconnect(true);
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
