import { filterAudit } from '../filter-audit.ts';
import type { Lane, Store } from '../store.ts';
import { auditChain, readAudit, removeAudit, writeAudit } from './audit.ts';
import { claim, create, defer, nextDueAt, save, signal } from './leases.ts';
import { findRecord, listRecords, overviewOf, readRecord } from './records.ts';
import { getSmall, pauseSlots, putSmall, replaceSmall, takeSlot, takeSmall } from './small-keys.ts';
import type { Reading, Transaction } from './tables.ts';

type OfTheBackend =
  | 'name'
  | 'now'
  | 'servingSince'
  | 'wentBackAt'
  | 'ping'
  | typeof Symbol.asyncDispose;

type Action<Given, T> = (given: Given) => T;
/** A transaction without this store's checkpoints. */
export type Begun = Omit<Transaction, 'checkpoints'>;

/** Holds the tables. Each call throws StoreError; `operation` is for its message. */
export interface Backend extends Pick<Store, OfTheBackend> {
  read<T>(operation: string, action: Action<Reading, T>): T;
  /** Resolves when all writes of `action` are durable; otherwise none of them was made. */
  write<T>(operation: string, action: Action<Begun, T>): Promise<T>;
  /** The same with a deadline, after which it is not done. */
  answer<T>(operation: string, action: Action<Begun, T>): Promise<T>;
  /** The number of scheduled records in a lane, in constant time. */
  countDue(lane: Lane): number;
  /** Whether the time has to be saved even without other writes. */
  mustKeepTime(now: number): boolean;
}

/** The store on tables with a single writing process, one transaction per method; see `Store`. */
export function createTableStore(backend: Backend): Store {
  /** By shard: the name of the last checkpoint this process wrote. */
  const checkpoints = new Map<number, string>();
  const read = async <T>(operation: string, action: Action<Reading, T>) =>
    backend.read(operation, action);
  const write = <T>(operation: string, action: Action<Transaction, T>) =>
    backend.write(operation, (begun) => action({ ...begun, checkpoints }));
  const answer = <T>(operation: string, action: Action<Transaction, T>) =>
    backend.answer(operation, (begun) => action({ ...begun, checkpoints }));

  return {
    name: backend.name,
    create: (record, options) => answer('create', (to) => create(to, record, options)),
    signal: (id, news, options) => answer('signal', (to) => signal(to, id, news, options)),
    async claim(lane, limit) {
      const next = backend.read('claim', ({ tables }) => nextDueAt(tables, lane));
      const now = backend.now();
      const nothingDue = next === null || next > now;
      const claimed =
        (nothingDue && !backend.mustKeepTime(now)) || limit === 0
          ? { held: [], now, nextDueAt: next }
          : await write('claim', (to) => claim(to, lane, limit));
      return { ...claimed, size: backend.read('claim', () => backend.countDue(lane)) };
    },
    save: (lease, change) => write('save', (to) => save(to, lease, change)),
    defer: (lease, dueAt) => write('defer', (to) => defer(to, lease, dueAt)),
    read: (id) => read('read', (from) => readRecord(from, id)),
    find: (uniqueKey) => read('find', (from) => findRecord(from, uniqueKey)),
    list: (names, piece) => read('list', (from) => listRecords(from, names, piece)),
    overview: (lists) => read('overview', (from) => overviewOf(from, lists)),
    put: (key, value, lifetimeMs) => write('put', (to) => putSmall(to, key, value, lifetimeMs)),
    putIfAbsent(key, value, lifetimeMs) {
      const change = { from: undefined, to: value };
      return write('putIfAbsent', (to) => replaceSmall(to, key, change, lifetimeMs));
    },
    replace: (key, from, value, lifetimeMs) =>
      write('replace', (to) => replaceSmall(to, key, { from, to: value }, lifetimeMs)),
    get: (key) => read('get', (from) => getSmall(from, key)),
    take: (key) => write('take', (to) => takeSmall(to, key)),
    pace: (name, rate) => write('pace', (to) => takeSlot(to, name, rate)),
    pause: (name, forMs) => write('pause', (to) => pauseSlots(to, name, forMs)),
    async writeAudit(entry, { checkpointOf } = {}) {
      const { id, name } = await answer('writeAudit', (to) => writeAudit(to, entry, checkpointOf));
      if (checkpointOf !== undefined) checkpoints.set(checkpointOf.shard, name);
      return id;
    },
    removeAudit: (_shard, upTo) => write('removeAudit', (to) => removeAudit(to, upTo)),
    async *readAudit(filter) {
      const { tables } = await read('readAudit', (from) => from);
      yield* filterAudit(readAudit(tables, filter.sinceAt ?? 0), filter);
    },
    auditShards: () => 1,
    auditChain: () => read('auditChain', auditChain),
    servingSince: () => backend.servingSince(),
    wentBackAt: () => backend.wentBackAt(),
    now: () => backend.now(),
    ping: (options) => backend.ping(options),
    [Symbol.asyncDispose]: () => backend[Symbol.asyncDispose](),
  };
}
