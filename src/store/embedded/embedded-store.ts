import type { Clock } from '../../lib/clock.ts';
import { filterAudit } from '../filter-audit.ts';
import {
  type AuditEntry,
  type Change,
  type Claimed,
  type Created,
  type Lane,
  type Lease,
  type Listed,
  type ListPiece,
  type NewRecord,
  type Rate,
  type Saved,
  type Signalled,
  type SignalOptions,
  type Store,
  type StoredRecord,
  StoreError,
} from '../store.ts';
import { readAudit } from './audit-rows.ts';
import { createRecord } from './create-record.ts';
import { claim, defer, type LeaseNeeds, nextDueAt, save, signal } from './leases.ts';
import { listRecords } from './list-records.ts';
import { liveRow, storedRecord } from './record-rows.ts';
import { getSmall, pauseTurns, putSmall, removeSmall, takeTurn, userKey } from './small-rows.ts';
import { sweep } from './sweep.ts';
import type { Tables } from './tables.ts';

/** An interactive write that is not on the disk after this long ends without an answer. */
const ANSWER_MS = 1_500;

interface EmbeddedStoreNeeds extends Omit<LeaseNeeds, 'now'> {
  readonly clock: Clock;
  /** Runs at the end, before the files are closed. */
  readonly leave: () => Promise<void>;
}

/** Each method that writes is one transaction, flushed to the disk before it answers; see `Store`. */
export class EmbeddedStore implements Store {
  readonly name = 'embedded';
  readonly #needs: EmbeddedStoreNeeds;
  readonly #tables: Tables;
  readonly #openedAt: number;
  #closed = false;

  constructor(needs: EmbeddedStoreNeeds) {
    this.#needs = needs;
    this.#tables = needs.tables;
    this.#openedAt = needs.clock.now();
  }

  create(record: NewRecord, options: { readonly hold: boolean }): Promise<Created> {
    return this.#interactive('create', (needs) => createRecord(needs, record, options.hold));
  }

  signal(
    id: string,
    news: { readonly id: string; readonly body: string },
    options: SignalOptions,
  ): Promise<Signalled> {
    return this.#interactive('signal', (needs) => signal(needs, id, news, options));
  }

  async claim(lane: Lane, limit: number): Promise<Claimed> {
    const next = await this.#read('claim', () => nextDueAt(this.#tables, lane));
    const now = this.#needs.clock.now();
    const nothingDue = next === null || next > now || limit === 0;
    const claimed = nothingDue
      ? { held: [], now, nextDueAt: next }
      : await this.#write('claim', (needs) => claim(needs, lane, limit));
    return { ...claimed, size: await this.#read('claim', () => this.#size(lane)) };
  }

  save(lease: Lease, change: Change): Promise<Saved> {
    return this.#write('save', (needs) => save(needs, lease, change));
  }

  defer(lease: Lease, dueAt: number): Promise<'deferred' | 'lost'> {
    return this.#write('defer', (needs) => defer(needs, lease, dueAt));
  }

  read(id: string): Promise<StoredRecord | undefined> {
    return this.#read('read', () => {
      const row = liveRow(this.#tables, id, this.#needs.clock.now());
      return row && storedRecord(id, row);
    });
  }

  list(names: readonly string[], piece: ListPiece): Promise<Listed> {
    const now = this.#needs.clock.now();
    return this.#read('list', () => listRecords(this.#tables, names, piece, now));
  }

  put(key: string, value: string, lifetimeMs: number): Promise<void> {
    return this.#write('put', ({ tables, now }) =>
      putSmall(tables, userKey(key), { value, expiresAt: now + lifetimeMs }),
    );
  }

  putIfAbsent(key: string, value: string, lifetimeMs: number): Promise<boolean> {
    return this.#write('putIfAbsent', ({ tables, now }) => {
      if (getSmall(tables, userKey(key), now) !== undefined) return false;
      putSmall(tables, userKey(key), { value, expiresAt: now + lifetimeMs });
      return true;
    });
  }

  get(key: string): Promise<string | undefined> {
    return this.#read(
      'get',
      () => getSmall(this.#tables, userKey(key), this.#needs.clock.now())?.value,
    );
  }

  take(key: string): Promise<string | undefined> {
    return this.#write('take', ({ tables, now }) => {
      const row = getSmall(tables, userKey(key), now);
      removeSmall(tables, userKey(key));
      return row?.value;
    });
  }

  pace(name: string, rate: Rate): Promise<number> {
    return this.#write('pace', ({ tables, now }) => takeTurn(tables, name, rate, now));
  }

  pause(name: string, forMs: number): Promise<void> {
    return this.#write('pause', ({ tables, now }) => pauseTurns(tables, name, now + forMs, now));
  }

  async *readAudit(filter: Parameters<Store['readAudit']>[0]): AsyncGenerator<AuditEntry> {
    if (this.#closed) throw closed('readAudit');
    yield* filterAudit(readAudit(this.#tables, filter.sinceAt ?? 0), filter);
  }

  /** Only between two starts can a folder be restored. */
  servingSince(): number {
    return this.#openedAt;
  }

  now(): number {
    return this.#needs.clock.now();
  }

  async ping(): Promise<void> {
    await this.#read('ping', () => this.#tables.owner.get('owner'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#needs.leave();
    await this.#tables.root.close();
  }

  #size(lane: Lane): number {
    // as: lmdb does not say which figures there are (MDB_stat: ms_entries)
    const { entryCount } = this.#tables.due[lane].getStats() as { entryCount: number };
    return entryCount;
  }

  async #read<T>(operation: string, action: () => T): Promise<T> {
    if (this.#closed) throw closed(operation);
    try {
      return action();
    } catch (error) {
      throw new StoreError('unavailable', `${operation}: could not read`, { cause: error });
    }
  }

  /** Resolves when what `action` wrote is on the disk. Calls at the same time share a flush. */
  async #write<T>(operation: string, action: (needs: LeaseNeeds) => T): Promise<T> {
    if (this.#closed) throw closed(operation);
    try {
      return await this.#tables.root.transaction(() => {
        const now = this.#needs.clock.now();
        sweep(this.#tables, now);
        return action({ ...this.#needs, now });
      });
    } catch (error) {
      if (error instanceof StoreError) throw error;
      throw new StoreError('unknown', `${operation}: could not write`, { cause: error });
    }
  }

  /** Ends within `ANSWER_MS`; a write that begins after that does nothing. */
  async #interactive<T>(operation: string, action: (needs: LeaseNeeds) => T): Promise<T> {
    const { clock } = this.#needs;
    const notAfter = clock.monotonic() + ANSWER_MS;
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<never>((_, reject) => {
      const error = new StoreError('unknown', `${operation}: not on the disk in time`);
      timer = setTimeout(() => reject(error), ANSWER_MS);
    });
    const written = this.#write(operation, (needs) => {
      if (clock.monotonic() > notAfter) {
        throw new StoreError('unavailable', `${operation}: came too late`);
      }
      return action(needs);
    });
    try {
      return await Promise.race([written, tooLong]);
    } finally {
      clearTimeout(timer);
      written.catch(() => undefined);
    }
  }
}

function closed(operation: string): StoreError {
  return new StoreError('unavailable', `${operation}: the store is closed`);
}
