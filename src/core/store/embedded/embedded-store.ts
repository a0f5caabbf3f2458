/**
 * The store in a folder of this machine, on LMDB: rows and rules are those of `tables/`, a write is
 * answered once it is on the disk. One process at a time (`folder-guard.ts`); a folder that was damaged is
 * found at the start (`folder-check.ts`).
 */

import { type Clock, type SteadyClock, steadyClock } from '../../lib/clock.ts';
import type { Timers } from '../../lib/timers.ts';
import { filterAudit } from '../filter-audit.ts';
import {
  type AuditChain,
  type AuditEntry,
  type AuditPlace,
  type Change,
  type Claimed,
  type Created,
  type Lane,
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
import { claim, create, defer, nextDueAt, save, signal } from '../tables/leases.ts';
import { findRecord, listRecords, overviewOf, readRecord, sweep } from '../tables/records.ts';
import {
  getSmall,
  pauseSlots,
  putSmall,
  replaceSmall,
  takeSlot,
  takeSmall,
} from '../tables/small-keys.ts';
import type { Reading, Transaction } from '../tables/tables.ts';
import { countOf, type FolderTables } from './tables.ts';

/** An interactive write that is not on the disk after this long ends without an answer. */
const ANSWER_MS = 1_500;
/** What `ping` writes, and how much room it takes: more than any approval. */
const PING = 'ping';
const ROOM_BYTES = 131_072;
/** With nothing to write the time is kept this often: after a kill it may go on from as much earlier. */
const KEEP_TIME_MS = 5_000;

interface EmbeddedStoreNeeds extends Omit<Transaction, 'now' | 'checkpoints'> {
  readonly tables: FolderTables;
  readonly clock: Clock;
  readonly timers: Timers;
  /** False: the folder was removed or replaced since it was opened. */
  readonly isInPlace: () => Promise<boolean>;
  /** Closes the files. */
  readonly close: () => Promise<void>;
}

/** Each method that writes is one transaction, flushed to the disk before it answers; see `Store`. */
export class EmbeddedStore implements Store {
  readonly name = 'embedded';
  readonly #needs: EmbeddedStoreNeeds;
  readonly #tables: FolderTables;
  readonly #time: SteadyClock;
  readonly #checkpoints = new Map<number, string>();
  /** The store's time that is on the disk. */
  #keptTime = 0;
  readonly #openedAt: number;
  #closed = false;
  /** As last looked: what is written now would be nowhere to be found after a restart. */
  #isGone = false;
  /** A write has failed since there was room. */
  #hasFailed = false;

  constructor(needs: EmbeddedStoreNeeds) {
    this.#needs = needs;
    this.#tables = needs.tables;
    this.#time = steadyClock(needs.clock);
    this.#time.noEarlierThan(needs.tables.clock.get('last') ?? 0);
    this.#openedAt = this.#time.now();
  }

  create(record: NewRecord, options: { readonly hold: boolean }): Promise<Created> {
    return this.#interactive('create', (transaction) => create(transaction, record, options));
  }

  signal(
    id: string,
    news: { readonly id: string; readonly body: string },
    options: SignalOptions,
  ): Promise<Signalled> {
    return this.#interactive('signal', (transaction) => signal(transaction, id, news, options));
  }

  async claim(lane: Lane, limit: number): Promise<Claimed> {
    const next = await this.#read('claim', ({ tables }) => nextDueAt(tables, lane));
    const now = this.#time.now();
    const nothingDue = next === null || next > now;
    const isKept = now - this.#keptTime < KEEP_TIME_MS;
    const claimed =
      (nothingDue && isKept) || limit === 0
        ? { held: [], now, nextDueAt: next }
        : await this.#write('claim', (transaction) => claim(transaction, lane, limit));
    return { ...claimed, size: await this.#read('claim', () => countOf(this.#tables.due[lane])) };
  }

  save(lease: Lease, change: Change): Promise<Saved> {
    return this.#write('save', (transaction) => save(transaction, lease, change));
  }

  defer(lease: Lease, dueAt: number): Promise<'deferred' | 'lost'> {
    return this.#write('defer', (transaction) => defer(transaction, lease, dueAt));
  }

  read(id: string): Promise<StoredRecord | undefined> {
    return this.#read('read', (reading) => readRecord(reading, id));
  }

  find(uniqueKey: string): Promise<StoredRecord | undefined> {
    return this.#read('find', (reading) => findRecord(reading, uniqueKey));
  }

  list(names: readonly string[], piece: ListPiece): Promise<Listed> {
    return this.#read('list', (reading) => listRecords(reading, names, piece));
  }

  overview(lists: readonly string[]): Promise<StoreOverview> {
    return this.#read('overview', (reading) => overviewOf(reading, lists));
  }

  put(key: string, value: string, lifetimeMs: number): Promise<void> {
    return this.#write('put', (transaction) => putSmall(transaction, key, value, lifetimeMs));
  }

  putIfAbsent(key: string, value: string, lifetimeMs: number): Promise<boolean> {
    const change = { from: undefined, to: value };
    return this.#write('putIfAbsent', (transaction) =>
      replaceSmall(transaction, key, change, lifetimeMs),
    );
  }

  replace(key: string, from: string, to: string, lifetimeMs: number): Promise<boolean> {
    return this.#write('replace', (transaction) =>
      replaceSmall(transaction, key, { from, to }, lifetimeMs),
    );
  }

  get(key: string): Promise<string | undefined> {
    return this.#read('get', (reading) => getSmall(reading, key));
  }

  take(key: string): Promise<string | undefined> {
    return this.#write('take', (transaction) => takeSmall(transaction, key));
  }

  pace(name: string, rate: Rate): Promise<number> {
    return this.#write('pace', (transaction) => takeSlot(transaction, name, rate));
  }

  pause(name: string, forMs: number): Promise<void> {
    return this.#write('pause', (transaction) => pauseSlots(transaction, name, forMs));
  }

  async writeAudit(
    entry: NewAuditEntry,
    { checkpointOf }: Parameters<Store['writeAudit']>[1] = {},
  ): Promise<string> {
    const { id, name } = await this.#interactive('writeAudit', (transaction) =>
      writeAudit(transaction, entry, checkpointOf),
    );
    if (checkpointOf !== undefined) this.#checkpoints.set(checkpointOf.shard, name);
    return id;
  }

  removeAudit(_shard: number, upTo: AuditPlace): Promise<boolean> {
    return this.#write('removeAudit', (transaction) => removeAudit(transaction, upTo));
  }

  async *readAudit(filter: Parameters<Store['readAudit']>[0]): AsyncGenerator<AuditEntry> {
    this.#ensureThere('readAudit');
    yield* filterAudit(readAudit(this.#tables, filter.sinceAt ?? 0), filter);
  }

  auditShards(): number {
    return 1;
  }

  auditChain(): Promise<AuditChain> {
    return this.#read('auditChain', auditChain);
  }

  /** Only between two starts can a folder be restored. */
  servingSince(): number {
    return this.#openedAt;
  }

  wentBackAt(): number {
    return 0;
  }

  now(): number {
    return this.#time.now();
  }

  /**
   * After a failed write, or as a `trial`, it also takes new room and gives it back: a full disk still takes small
   * writes, which reuse what earlier ones have left free.
   */
  async ping({ trial = false } = {}): Promise<null> {
    this.#isGone = !(await this.#needs.isInPlace());
    const hadFailed = trial || this.#hasFailed;
    const value = hadFailed ? ' '.repeat(ROOM_BYTES) : '';
    await this.#interactive('ping', ({ tables }) => {
      tables.small.putSync(PING, { value, expiresAt: 0 });
    });
    if (!hadFailed) return null;
    await this.#interactive('ping', ({ tables }) => tables.small.removeSync(PING));
    this.#hasFailed = false;
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    const kept = this.#write('close', () => undefined).catch(() => undefined);
    this.#closed = true;
    await kept;
    await this.#needs.close();
  }

  async #read<T>(operation: string, action: (reading: Reading) => T): Promise<T> {
    this.#ensureThere(operation);
    try {
      return action({ tables: this.#tables, now: this.#time.now() });
    } catch (error) {
      throw new StoreError('unavailable', `${operation}: could not read`, { cause: error });
    }
  }

  /** Resolves when what `action` wrote is on the disk. Calls at the same time share a flush. */
  async #write<T>(operation: string, action: (transaction: Transaction) => T): Promise<T> {
    this.#ensureThere(operation);
    try {
      return await this.#tables.root.transaction(() => {
        const now = this.#keepTime();
        const transaction = { ...this.#needs, checkpoints: this.#checkpoints, now };
        sweep(transaction);
        return action(transaction);
      });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      this.#hasFailed = true;
      const cause = await causeOf(error, this.#needs.timers);
      const [why = ''] = cause instanceof Error ? cause.message.split(':') : [];
      throw new StoreError('unknown', `${operation}: could not write (${why})`, { cause });
    }
  }

  #ensureThere(operation: string): void {
    if (this.#closed) throw new StoreError('unavailable', `${operation}: the store is closed`);
    if (!this.#isGone) return;
    throw new StoreError('unavailable', `${operation}: the data folder was removed or replaced`);
  }

  /** Inside a write transaction. Not before what was kept: a visitor on the folder has a time of its own. */
  #keepTime(): number {
    const { clock } = this.#tables;
    const last = clock.get('last') ?? 0;
    const now = this.#time.noEarlierThan(last);
    if (now > last) clock.putSync('last', now);
    this.#keptTime = now;
    return now;
  }

  /** Ends within `ANSWER_MS`; a write that begins after that does nothing. */
  async #interactive<T>(operation: string, action: (transaction: Transaction) => T): Promise<T> {
    const { clock, timers } = this.#needs;
    const notAfter = clock.monotonic() + ANSWER_MS;
    let cancel = () => {};
    const tooLong = new Promise<never>((_, reject) => {
      cancel = timers.after(ANSWER_MS, () => {
        reject(new StoreError('unknown', `${operation}: not on the disk in time`));
      });
    });
    const written = this.#write(operation, (transaction) => {
      if (clock.monotonic() > notAfter) {
        throw new StoreError('unavailable', `${operation}: came too late`);
      }
      return action(transaction);
    });
    try {
      return await Promise.race([written, tooLong]);
    } finally {
      cancel();
      written.catch(() => undefined);
    }
  }
}

/** LMDB says why a commit failed by a promise of the error, a moment later or never. */
const REASON_MS = 100;

/** Why a write failed. Whoever leaves LMDB's promise alone is told of it as one that nobody caught. */
export async function causeOf(error: unknown, timers: Timers): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error;
  let cancel = () => {};
  const tooLong = new Promise((resolve) => {
    cancel = timers.after(REASON_MS, () => resolve(error));
  });
  const reason = Promise.resolve(error.commitError).catch((why: unknown) => why);
  return Promise.race([reason, tooLong]).finally(cancel);
}
