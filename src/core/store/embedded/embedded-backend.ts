/**
 * The store in a local folder, on LMDB, with the rows and rules of `tables/`: a write is answered once it is on disk.
 * One process at a time (`folder-guard.ts`); damage is detected at the start (`folder-check.ts`).
 */

import { constants } from 'node:os';
import { type Clock, type SteadyClock, steadyClock } from '../../lib/clock.ts';
import type { Timers } from '../../lib/timers.ts';
import { type Lane, SHORTAGE, StoreError } from '../store.ts';
import { sweep } from '../tables/records.ts';
import type { Backend, Begun } from '../tables/table-store.ts';
import type { Reading } from '../tables/tables.ts';
import { countOf, type FolderTables } from './tables.ts';

/** An interactive write that is not on disk after this long ends without an answer. */
const ANSWER_MS = 1_500;
/** What `ping` writes, and its size: larger than any approval. */
const PING = 'ping';
const ROOM_BYTES = 131_072;
/** How often the time is saved without other writes: after a kill, time may continue from that much earlier. */
const KEEP_TIME_MS = 5_000;

interface EmbeddedBackendNeeds extends Omit<Begun, 'now'> {
  readonly tables: FolderTables;
  readonly clock: Clock;
  readonly timers: Timers;
  /** False: the folder was removed or replaced after it was opened. */
  readonly isInPlace: () => Promise<boolean>;
  /** Whether the folder's disk has a free block. */
  readonly hasRoom: () => Promise<boolean>;
  /** Closes the files. */
  readonly close: () => Promise<void>;
}

/** Writes are flushed to disk before they are answered. */
export class EmbeddedBackend implements Backend {
  readonly name = 'embedded';
  readonly #needs: EmbeddedBackendNeeds;
  readonly #tables: FolderTables;
  readonly #time: SteadyClock;
  /** The store's time on disk. */
  #keptTime = 0;
  readonly #openedAt: number;
  #closed = false;
  /** As of the last check: writes to a removed folder would be gone after a restart. */
  #isGone = false;
  /** A write has failed since the disk last had space. */
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

  /** A folder can only be restored between two starts. */
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
   * After a failed write, or as a `trial`, also allocates and frees space: a full disk still accepts small writes,
   * which reuse free pages.
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

  /** Resolves when the writes of `action` are on disk. Simultaneous calls share a flush. */
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
      const shortage = shortageIn(cause) ?? (await this.#shortageAfter(cause));
      throw new StoreError('unknown', `${operation}: could not write (${why})`, {
        cause,
        shortage,
      });
    }
  }

  /** LMDB calls it an input or output error if the disk had room for a part of what it wrote. */
  async #shortageAfter(cause: unknown): Promise<typeof SHORTAGE.disk | undefined> {
    if (!(cause instanceof Error && 'code' in cause && cause.code === EIO)) return undefined;
    const hasRoom = await this.#needs.hasRoom().catch(() => true);
    return hasRoom ? undefined : SHORTAGE.disk;
  }

  #ensureThere(operation: string): void {
    if (this.#closed) throw new StoreError('unavailable', `${operation}: the store is closed`);
    if (!this.#isGone) return;
    throw new StoreError('unavailable', `${operation}: the data folder was removed or replaced`);
  }

  /** Inside a write transaction. Not before the saved time: a visitor to the folder has a clock of its own. */
  #keepTime(): number {
    const { clock } = this.#tables;
    const last = clock.get('last') ?? 0;
    const now = this.#time.noEarlierThan(last);
    if (now > last) clock.putSync('last', now);
    this.#keptTime = now;
    return now;
  }

  /** Ends within `ANSWER_MS`; a write that starts after that does nothing. */
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

/** LMDB provides the reason for a failed commit as a promise on the error, a moment later or never. */
const REASON_MS = 100;

/** Why a write failed. Also handles LMDB's promise, which would otherwise be an unhandled rejection. */
export async function causeOf(error: unknown, timers: Timers): Promise<unknown> {
  if (!(error instanceof Error && 'commitError' in error)) return error;
  let cancel = () => {};
  const tooLong = new Promise((resolve) => {
    cancel = timers.after(REASON_MS, () => resolve(error));
  });
  const reason = Promise.resolve(error.commitError).catch((why: unknown) => why);
  return Promise.race([reason, tooLong]).finally(cancel);
}

const { EIO, ENOSPC, EDQUOT, EFBIG } = constants.errno;
const MDB_MAP_FULL = -30_792;
/** Of Node, and of LMDB, whose codes are numbers. */
const NO_ROOM: ReadonlySet<unknown> = new Set([
  ...['ENOSPC', 'EDQUOT', 'EFBIG'],
  ...[ENOSPC, EDQUOT, EFBIG, MDB_MAP_FULL],
]);

/** Whether a write failed because it had no room. */
export function shortageIn(error: unknown): typeof SHORTAGE.disk | undefined {
  const isFull = error instanceof Error && 'code' in error && NO_ROOM.has(error.code);
  return isFull ? SHORTAGE.disk : undefined;
}
