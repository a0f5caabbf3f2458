/**
 * The store on Redis or Valkey: one script for each atomic step (`scripts/`), sent by `records.ts` and `claim.ts` over
 * connections without queues or retries (`link.ts`). How durable an answered write is: `confirmation.ts`.
 */

import type { RedisConfirm } from '../../config/config.ts';
import type { System } from '../../lib/system.ts';
import type { SignAudit } from '../audit-chain.ts';
import { filterAudit } from '../filter-audit.ts';
import { checkForm, FORM, LEASE_MS, type Store, type StoreLogger } from '../store.ts';
import { auditChain, readAudit, removeAudit, writeAudit } from './audit.ts';
import { checkServers } from './check-servers.ts';
import { allShards, claim } from './claim.ts';
import { redisKeys } from './keys.ts';
import { listRecords } from './list-records.ts';
import { readOverview } from './overview.ts';
import { RecordBatches } from './record-batches.ts';
import {
  createRecord,
  deferRecord,
  findRecord,
  readRecord,
  saveRecord,
  signalRecord,
} from './records.ts';
import { RedisConnection } from './redis-connection.ts';
import type { RedisNeeds } from './redis-needs.ts';
import { smallKeys } from './small-keys.ts';

/** Enough to distribute records evenly over a Cluster of a few nodes. */
const SHARDS_OF_CLUSTER = 16;
/** How long the server may take to become ready at the start. */
const READY_MS = 5_000;

export interface RedisStoreOptions extends System {
  /** For `parseRedisAddress`; may contain a password, so it is never logged. */
  readonly url: string;
  /** The prefix of every key. */
  readonly namespace?: string;
  /** 1 to 64. Default: as at the first start, which was 1, or 16 in a Cluster. */
  readonly shards?: number;
  /** How durably a click is stored before it is acknowledged; default `auto`. */
  readonly confirm?: RedisConfirm;
  /** Refuses a server that can lose records. */
  readonly strict?: boolean;
  readonly logger: StoreLogger;
  /** Without it, audit entries are not signed. */
  readonly signAudit?: SignAudit;
  readonly leaseMs?: number;
  readonly readyMs?: number;
}

/**
 * Opens the store on a Redis server from 6.2 on, or Valkey. Throws StoreError `unavailable` when the server cannot be
 * reached, or can lose records under `strict`; StoreConfigError when the database is refused or its form unknown; and
 * Error when it was started with another number of shards before.
 *
 * Of the clock only the monotonic time is used: records use the server's time. ioredis has its own timers.
 */
export async function createRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { logger, leaseMs = LEASE_MS, clock, timers, random } = options;
  const { confirm = 'auto', strict = false, signAudit = () => '' } = options;
  const connection = await RedisConnection.open({
    url: options.url,
    logger,
    ...{ clock, timers, random },
    leaseMs,
    readyMs: options.readyMs ?? READY_MS,
  });
  const keys = redisKeys(options.namespace ?? 'gatepost');
  try {
    const confirmed = await checkServers(connection, { confirm, strict }, logger);
    if (confirmed !== null) connection.confirmWith(confirmed);
    checkForm(await fixed(connection, keys.form(), FORM));
    const shards = await fixShards(connection, keys.shards(), options.shards);
    await connection.noteLives(allShards({ shards }).map(keys.marker));
    await connection.learnTime(keys.shards());
    const batches = new RecordBatches(connection, keys);
    const checkpoints = new Map<number, string>();
    return storeOn({ connection, batches, keys, shards, random, signAudit, checkpoints });
  } catch (error) {
    await connection[Symbol.asyncDispose]();
    throw error;
  }
}

/** Each operation is one script or one command, except for `claim` and `list`. */
function storeOn(needs: RedisNeeds): Store {
  return {
    name: 'redis',
    create: (record, options) => createRecord(needs, record, options),
    signal: (id, signal, options) => signalRecord(needs, id, signal, options),
    claim: (lane, limit) => claim(needs, lane, limit),
    save: (lease, change) => saveRecord(needs, lease, change),
    defer: (lease, dueAt) => deferRecord(needs, lease, dueAt),
    read: (id) => readRecord(needs, id),
    find: (uniqueKey) => findRecord(needs, uniqueKey),
    list: (names, piece) => listRecords(needs, names, piece),
    overview: (lists) => readOverview(needs, lists),
    ...smallKeys(needs),
    writeAudit: (entry, options) => writeAudit(needs, entry, options),
    readAudit: (filter) => filterAudit(readAudit(needs, filter.sinceAt ?? 0), filter),
    auditShards: () => needs.shards,
    auditChain: (shard) => auditChain(needs, shard),
    removeAudit: (shard, upTo) => removeAudit(needs, shard, upTo),
    now: () => needs.connection.now(),
    servingSince: () => needs.connection.servingSince,
    wentBackAt: () => needs.connection.wentBackAt,
    ping: () => needs.connection.probe(allShards(needs).map(needs.keys.marker)),
    [Symbol.asyncDispose]: () => needs.connection[Symbol.asyncDispose](),
  };
}

/** Returns the number of shards; `asked` only counts at the first start. */
async function fixShards(
  connection: RedisConnection,
  key: string,
  asked: number | undefined,
): Promise<number> {
  const first = asked ?? (connection.isCluster ? SHARDS_OF_CLUSTER : 1);
  const shards = await fixed(connection, key, first);
  if (asked !== undefined && shards !== asked) {
    throw new Error(`the store was started with ${shards} shards and cannot go on with ${asked}`);
  }
  return shards;
}

/** The value noted at the first start; if replicas start at once, one of them sets it. */
async function fixed(connection: RedisConnection, key: string, first: number): Promise<number> {
  await connection.send('start', key, (redis) => redis.setnx(key, first));
  return Number(await connection.send('start', key, (redis) => redis.get(key)));
}
