import type { Cluster, Redis, RedisOptions } from 'ioredis';
import type { RedisAddress } from '../../lib/redis-address.ts';
import type { StoreConfigError, StoreLogger } from '../store.ts';
import type { Script } from './load-scripts.ts';

/** The connection to one server, to Sentinel's primary, or to the nodes of a Cluster. */
export interface Link {
  /** Sends commands with keys. */
  readonly commands: Redis | Cluster;
  /** Starts connecting; from then on it always reconnects. */
  connect(): void;
  /** Whether every server that accepts writes can be asked. */
  isReady(): boolean;
  /** All servers that accept writes, connected or not. */
  nodes(): readonly Redis[];
  /** The server that holds a key; undefined when nothing can be sent to it now. */
  nodeOf(key: string): Redis | undefined;
  /**
   * The address of a key's server, `host:port`, reachable or not; undefined: not known, or there is only one server.
   */
  addressOf(key: string): string | undefined;
  /** Called with each server that becomes ready. */
  onReady(listener: (node: Redis) => void): void;
  /** Called with the reason for a failure while nothing is ready. */
  onError(listener: (error: Error) => void): void;
  /** Why nothing can be sent, if the database is the reason; otherwise undefined. */
  refusal(): StoreConfigError | undefined;
  close(): Promise<void>;
}

export interface LinkNeeds {
  readonly scripts: readonly Script[];
  readonly logger: StoreLogger;
  readonly connectTimeoutMs: number;
}

/** After this long without an answer, the caller is told that the result is unknown. */
export const ANSWER_MS = 1_500;
/** A connection without a response for this long is dropped and reopened. */
const SILENCE_MS = 4_000;
const LONGEST_RECONNECT_MS = 1_000;

export function reconnectInMs(attempt: number): number {
  return Math.min(25 * 2 ** Math.min(attempt, 10), LONGEST_RECONNECT_MS);
}

/** The options of every connection: a command is sent immediately and once, or not at all. */
export function connectionOptions(
  { username, password, tls }: RedisAddress,
  connectTimeoutMs: number,
) {
  return {
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
    // The newer protocol is not needed, and some proxies and managed servers refuse its greeting.
    protocol: 2,
    commandTimeout: ANSWER_MS,
    socketTimeout: SILENCE_MS,
    connectTimeout: connectTimeoutMs,
    // Both are needed: without the first, a command whose connection broke waits for the next one; without the second
    // it never ends.
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  } satisfies RedisOptions;
}

/** Logs once when the connection is lost, and once when it is back. */
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
 * Keeps a connection from becoming ready in the wrong database. When SELECT fails during setup (refused, or not
 * answered in time), ioredis only emits an error and continues in database 0.
 */
export function requireDatabase(redis: Redis): void {
  redis.on('error', () => {
    // Still in setup: no command has been sent.
    if (redis.status === 'connect') redis.disconnect(true);
  });
}

/** Closes a connection and waits for its end. */
export async function closeConnection(redis: Redis): Promise<void> {
  // Between two connections there is no end to wait for.
  const open = ['connecting', 'connect', 'ready'].includes(redis.status);
  const ended = new Promise<void>((resolve) => redis.once('end', () => resolve()));
  redis.disconnect();
  if (open) await ended;
}
