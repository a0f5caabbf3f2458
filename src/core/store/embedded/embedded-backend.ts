/**
 * The store in a folder of this machine, on LMDB: rows and rules are those of `tables/`, a write is
 * answered once it is on the disk. One process at a time (`folder-guard.ts`); a folder that was damaged is
 * found at the start (`folder-check.ts`).
 */

import { type Clock, type SteadyClock, steadyClock } from '../../lib/clock.ts';
import type { Timers } from '../../lib/timers.ts';
import { type Lane, StoreError } from '../store.ts';
import { sweep } from '../tables/records.ts';
import type { Backend, Begun } from '../tables/table-store.ts';
import type { Reading } from '../tables/tables.ts';
import { countOf, type FolderTables } from './tables.ts';

/** An interactive write that is not on the disk after this long ends without an answer. */
const ANSWER_MS = 1_500;
/** What `ping` writes, and how much room it takes: more than any approval. */
const PING = 'ping';
const ROOM_BYTES = 131_072;
/** With nothing to write the time is kept this often: after a kill it may go on from as much earlier. */
const KEEP_TIME_MS = 5_000;

interface EmbeddedBackendNeeds extends Omit<Begun, 'now'> {
  readonly tables: FolderTables;
  readonly clock: Clock;
  readonly timers: Timers;
  /** False: the folder was removed or replaced since it was opened. */
  readonly isInPlace: () => Promise<boolean>;
  /** Closes the files. */
  readonly close: () => Promise<void>;
}

/** What is written is flushed to the disk before that is answered. */
export class EmbeddedBackend implements Backend {
  readonly name = 'embedded';
  readonly #needs: EmbeddedBackendNeeds;
  readonly #tables: FolderTables;
  readonly #time: SteadyClock;
  /** The store's time that is on the disk. */
  #keptTime = 0;
  readonly #openedAt: number;
  #closed = false;
  /** As last looked: what is written now would be nowhere to be found after a restart. */
  #isGone = false;
  /** A write has failed since there was room. */
  #hasFailed = false;

  constructor(needs: EmbeddedBackendNeeds) {
    this.#needs = needs;
    this.#tables = needs.tables;
    this.#time = steadyClock(needs.clock);
    this.#time.noEarlierThan(needs.tables.clock.get('last') ?? 0);
    this.#openedAt = this.#time.now();
  }

  countDue(lane: Lane): number {
    return countOf(this.#tables.due[lane]);
  }

  mustKeepTime(now: number): boolean {
    return now - this.#keptTime >= KEEP_TIME_MS;
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
    await this.answer('ping', ({ tables }) => {
      tables.small.putSync(PING, { value, expiresAt: 0 });
    });
    if (!hadFailed) return null;
    await this.answer('ping', ({ tables }) => tables.small.removeSync(PING));
    this.#hasFailed = false;
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#closed) return;
    const kept = this.write('close', () => undefined).catch(() => undefined);
    this.#closed = true;
    await kept;
    await this.#needs.close();
  }

  read<T>(operation: string, action: (reading: Reading) => T): T {
    this.#ensureThere(operation);
    try {
      return action({ tables: this.#tables, now: this.#time.now() });
    } catch (error) {
      throw new StoreError('unavailable', `${operation}: could not read`, { cause: error });
    }
  }

  /** Resolves when what `action` wrote is on the disk. Calls at the same time share a flush. */
  async write<T>(operation: string, action: (transaction: Begun) => T): Promise<T> {
    this.#ensureThere(operation);
    try {
      return await this.#tables.root.transaction(() => {
        const now = this.#keepTime();
        const transaction = { ...this.#needs, now };
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
  async answer<T>(operation: string, action: (transaction: Begun) => T): Promise<T> {
    const { clock, timers } = this.#needs;
    const notAfter = clock.monotonic() + ANSWER_MS;
    let cancel = () => {};
    const tooLong = new Promise<never>((_, reject) => {
      cancel = timers.after(ANSWER_MS, () => {
        reject(new StoreError('unknown', `${operation}: not on the disk in time`));
      });
    });
    const written = this.write(operation, (transaction) => {
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
