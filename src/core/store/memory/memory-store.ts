/**
 * The store in memory, with the rows and rules of `tables/`: the third implementation of the contract. Time and
 * randomness are passed in, so that tests are reproducible.
 */

import { type Clock, type SteadyClock, steadyClock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { SignAudit } from '../audit-chain.ts';
import { type Lane, LEASE_MS, type Store, StoreError } from '../store.ts';
import { sweep } from '../tables/records.ts';
import { type Backend, type Begun, createTableStore } from '../tables/table-store.ts';
import type { Reading } from '../tables/tables.ts';
import { copyTables, emptyTables, type MemoryTables } from './memory-tables.ts';

export interface MemoryOptions {
  /** The clock of all stores on this memory, like the clock of one server. */
  readonly clock: Clock;
  /** For record ids and lease tokens. */
  readonly random: Random;
  /** Without it, audit entries are not signed. */
  readonly signAudit?: SignAudit;
  readonly leaseMs?: number;
}

/** All records at a moment. */
export interface MemorySnapshot {
  readonly tables: MemoryTables;
}

interface MemoryTransaction extends Begun {
  readonly tables: MemoryTables;
}

/**
 * Records in memory, shared by as many stores as there are replicas. Deterministic: the same calls at the same times
 * have the same results.
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
    return createTableStore(new MemoryBackend(this));
  }

  snapshot(): MemorySnapshot {
    return { tables: copyTables(this.#tables) };
  }

  /**
   * Drops everything written since the snapshot, like a failover to a replica that lagged. Time continues, and the
   * snapshot can be restored again, here or in another memory.
   */
  restore({ tables }: MemorySnapshot): void {
    this.#tables = copyTables(tables);
    this.#wentBackAt = this.now();
  }

  dueIn(lane: Lane): number {
    return this.#tables.due[lane].size;
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

  /** Its writes are visible to all at once. */
  begin(): MemoryTransaction {
    const { leaseMs = LEASE_MS, signAudit = () => '', random } = this.#options;
    const now = this.now();
    const transaction = { tables: this.#tables, now, leaseMs, signAudit, random };
    sweep(transaction);
    return transaction;
  }
}

class MemoryBackend implements Backend {
  readonly name = 'memory';
  readonly #memory: Memory;
  #isClosed = false;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  read<T>(operation: string, action: (reading: Reading) => T): T {
    return action(this.#begin(operation));
  }

  async write<T>(operation: string, action: (begun: Begun) => T): Promise<T> {
    return action(this.#begin(operation));
  }

  answer<T>(operation: string, action: (begun: Begun) => T): Promise<T> {
    return this.write(operation, action);
  }

  countDue(lane: Lane): number {
    return this.#memory.dueIn(lane);
  }

  mustKeepTime(): boolean {
    return false;
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

  /** The memory stays for other stores. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
  }

  #begin(operation: string): MemoryTransaction {
    if (!this.#isClosed) return this.#memory.begin();
    throw new StoreError('unavailable', `${operation}: the store is closed`);
  }
}
