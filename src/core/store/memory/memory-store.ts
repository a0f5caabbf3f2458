/**
 * The store in the memory of this process, on the rows and rules of `tables/`: the third that passes the
 * contract. It has no time and no chance of its own, so that what a test saw can be seen again.
 */

import { type Clock, type SteadyClock, steadyClock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { SignAudit } from '../audit-chain.ts';
import { filterAudit } from '../filter-audit.ts';
import {
  type AuditChain,
  type AuditEntry,
  type AuditPlace,
  type Change,
  type Claimed,
  type Created,
  type Lane,
  LEASE_MS,
  type Lease,
  type Listed,
  type ListPiece,
  type NewAuditEntry,
  type NewRecord,
  type Rate,
  type Saved,
  type Signalled,
  type SignalOptions,
  type Store,
  type StoredRecord,
  StoreError,
  type StoreOverview,
} from '../store.ts';
import { auditChain, readAudit, removeAudit, writeAudit } from '../tables/audit.ts';
import { claim, create, defer, save, signal } from '../tables/leases.ts';
import { findRecord, listRecords, overviewOf, readRecord, sweep } from '../tables/records.ts';
import {
  getSmall,
  pauseSlots,
  putSmall,
  replaceSmall,
  takeSlot,
  takeSmall,
} from '../tables/small-keys.ts';
import type { Transaction } from '../tables/tables.ts';
import { copyTables, emptyTables, type MemoryTables } from './memory-tables.ts';

export interface MemoryOptions {
  /** The only one that all stores on this memory go by, as all clients go by the clock of one server. */
  readonly clock: Clock;
  /** For record ids and lease tokens. */
  readonly random: Random;
  /** How long audit entries are kept. */
  readonly auditMs: number;
  /** Without it audit entries are not signed. */
  readonly signAudit?: SignAudit;
  readonly leaseMs?: number;
}

/** The records of a moment. */
export interface MemorySnapshot {
  readonly tables: MemoryTables;
}

interface MemoryTransaction extends Transaction {
  readonly tables: MemoryTables;
}

/**
 * Records in the memory of this process, for as many stores as replicas share them. It has no time and
 * no chance but what it is given: the same calls at the same times do the same again.
 */
export class Memory {
  readonly #options: MemoryOptions;
  readonly #time: SteadyClock;
  #tables = emptyTables();
  readonly #openedAt: number;
  #wentBackAt = 0;

  constructor(options: MemoryOptions) {
    this.#options = options;
    this.#time = steadyClock(options.clock);
    this.#openedAt = this.now();
  }

  openStore(): Store {
    return new MemoryStore(this);
  }

  snapshot(): MemorySnapshot {
    return { tables: copyTables(this.#tables) };
  }

  /**
   * All that was written since is gone, as after a failover to a replica that lagged. Time goes on, and
   * the snapshot can be restored again, here or in another memory.
   */
  restore({ tables }: MemorySnapshot): void {
    this.#tables = copyTables(tables);
    this.#wentBackAt = this.now();
  }

  servingSince(): number {
    return Math.max(this.#openedAt, this.#wentBackAt);
  }

  wentBackAt(): number {
    return this.#wentBackAt;
  }

  now(): number {
    return this.#time.now();
  }

  /** What is written in it is there at once, for all. `checkpoints`: see `Transaction`. */
  begin(checkpoints = new Map<number, string>()): MemoryTransaction {
    const { leaseMs = LEASE_MS, signAudit = () => '', auditMs, random } = this.#options;
    const now = this.now();
    const options = { leaseMs, auditMs, signAudit, checkpoints, random };
    const transaction = { tables: this.#tables, now, ...options };
    sweep(transaction);
    return transaction;
  }
}

/** Each method is done when it returns its promise; see `Store`. */
class MemoryStore implements Store {
  readonly name = 'memory';
  readonly #memory: Memory;
  readonly #checkpoints = new Map<number, string>();
  #isClosed = false;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  async create(record: NewRecord, options: { readonly hold: boolean }): Promise<Created> {
    return create(this.#begin('create'), record, options);
  }

  async signal(
    id: string,
    news: { readonly id: string; readonly body: string },
    options: SignalOptions,
  ): Promise<Signalled> {
    return signal(this.#begin('signal'), id, news, options);
  }

  async claim(lane: Lane, limit: number): Promise<Claimed> {
    const transaction = this.#begin('claim');
    const claimed = claim(transaction, lane, limit);
    return { ...claimed, size: transaction.tables.due[lane].size };
  }

  async save(lease: Lease, change: Change): Promise<Saved> {
    return save(this.#begin('save'), lease, change);
  }

  async defer(lease: Lease, dueAt: number): Promise<'deferred' | 'lost'> {
    return defer(this.#begin('defer'), lease, dueAt);
  }

  async read(id: string): Promise<StoredRecord | undefined> {
    return readRecord(this.#begin('read'), id);
  }

  async find(uniqueKey: string): Promise<StoredRecord | undefined> {
    return findRecord(this.#begin('find'), uniqueKey);
  }

  async list(names: readonly string[], piece: ListPiece): Promise<Listed> {
    return listRecords(this.#begin('list'), names, piece);
  }

  async overview(lists: readonly string[]): Promise<StoreOverview> {
    return overviewOf(this.#begin('overview'), lists);
  }

  async put(key: string, value: string, lifetimeMs: number): Promise<void> {
    putSmall(this.#begin('put'), key, value, lifetimeMs);
  }

  async putIfAbsent(key: string, value: string, lifetimeMs: number): Promise<boolean> {
    const change = { from: undefined, to: value };
    return replaceSmall(this.#begin('putIfAbsent'), key, change, lifetimeMs);
  }

  async replace(key: string, from: string, to: string, lifetimeMs: number): Promise<boolean> {
    return replaceSmall(this.#begin('replace'), key, { from, to }, lifetimeMs);
  }

  async get(key: string): Promise<string | undefined> {
    return getSmall(this.#begin('get'), key);
  }

  async take(key: string): Promise<string | undefined> {
    return takeSmall(this.#begin('take'), key);
  }

  async pace(name: string, rate: Rate): Promise<number> {
    return takeSlot(this.#begin('pace'), name, rate);
  }

  async pause(name: string, forMs: number): Promise<void> {
    pauseSlots(this.#begin('pause'), name, forMs);
  }

  async writeAudit(
    entry: NewAuditEntry,
    { checkpointOf }: Parameters<Store['writeAudit']>[1] = {},
  ): Promise<string> {
    const { id, name } = writeAudit(this.#begin('writeAudit'), entry, checkpointOf);
    if (checkpointOf !== undefined) this.#checkpoints.set(checkpointOf.shard, name);
    return id;
  }

  async removeAudit(_shard: number, upTo: AuditPlace): Promise<boolean> {
    return removeAudit(this.#begin('removeAudit'), upTo);
  }

  async *readAudit(filter: Parameters<Store['readAudit']>[0]): AsyncGenerator<AuditEntry> {
    const { tables } = this.#begin('readAudit');
    yield* filterAudit(readAudit(tables, filter.sinceAt ?? 0), filter);
  }

  auditShards(): number {
    return 1;
  }

  async auditChain(): Promise<AuditChain> {
    return auditChain(this.#begin('auditChain'));
  }

  servingSince(): number {
    return this.#memory.servingSince();
  }

  wentBackAt(): number {
    return this.#memory.wentBackAt();
  }

  now(): number {
    return this.#memory.now();
  }

  async ping(): Promise<null> {
    this.#begin('ping');
    return null;
  }

  /** The memory stays for the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
  }

  #begin(operation: string): MemoryTransaction {
    if (!this.#isClosed) return this.#memory.begin(this.#checkpoints);
    throw new StoreError('unavailable', `${operation}: the store is closed`);
  }
}
