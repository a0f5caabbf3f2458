/**
 * The store in the memory of this process, on the rows and rules of `tables/`: the third that passes the
 * contract. It has no time and no chance of its own, so that what a test saw can be seen again.
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
  /** The only one that all stores on this memory go by, as all clients go by the clock of one server. */
  readonly clock: Clock;
  /** For record ids and lease tokens. */
  readonly random: Random;
  /** Without it audit entries are not signed. */
  readonly signAudit?: SignAudit;
  readonly leaseMs?: number;
}

/** The records of a moment. */
export interface MemorySnapshot {
  readonly tables: MemoryTables;
}

interface MemoryTransaction extends Begun {
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
    return createTableStore(new MemoryBackend(this));
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

  /** What is written in it is there at once, for all. */
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

  /** The memory stays for the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
  }

  #begin(operation: string): MemoryTransaction {
    if (!this.#isClosed) return this.#memory.begin();
    throw new StoreError('unavailable', `${operation}: the store is closed`);
  }
}
