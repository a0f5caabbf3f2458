/**
 * A store on sorted tables with a single writing process, on disk (`embedded/`) or in memory (`memory/`): the rows, and
 * the table interface that this folder's functions need.
 */

import type { Random } from '../../lib/random.ts';
import type { SignAudit } from '../audit-chain.ts';
import type { AuditChain, AuditText, Lane, Place, Signal } from '../store.ts';

export interface Tables {
  readonly records: Table<RecordRow, string>;
  /** Unhandled signals. */
  readonly inboxes: SortedTable<Signal, InboxKey>;
  /** The number of each signal in its inbox. */
  readonly waiting: Table<number, WaitingKey>;
  /** Record ids by unique key. */
  readonly unique: Table<string, string>;
  readonly due: Readonly<Record<Lane, SortedTable<true, DueKey>>>;
  readonly lists: SortedTable<true, ListKey>;
  readonly small: Table<SmallRow, string>;
  readonly expiry: SortedTable<true, ExpiryKey>;
  readonly audit: SortedTable<AuditRow, AuditKey>;
  readonly chain: Table<ChainRow, 'audit'>;
}

/** A subset of LMDB's `Database`. */
export interface Table<Value, Key> {
  get(key: Key): Value | undefined;
  putSync(key: Key, value: Value): void;
  removeSync(key: Key): boolean;
}

/** With sorted keys: by their first part, then by the second and so on. */
export interface SortedTable<Value, Key extends SortedKey> extends Table<Value, Key> {
  getKeys(range: KeyRange): Iterable<Key>;
  getRange(range: KeyRange): Iterable<{ readonly key: Key; readonly value: Value }>;
}

export type SortedKey = readonly (string | number)[];

/** A bound with fewer parts comes before all keys that start with it. */
export interface KeyRange {
  readonly start?: (string | number)[];
  /** Exclusive. */
  readonly end?: (string | number)[];
  readonly limit: number;
  /** From the last key on, or the last one before `start`; without `end`. */
  readonly reverse?: true;
}

/** Numbers increase over time. */
export type InboxKey = [record: string, number: number];
export type WaitingKey = [record: string, signal: string];
export type DueKey = [dueAt: number, id: string];
export type ListKey = [name: string, at: number, id: string];
/** What expires at a time: its table and key. */
export type ExpiryKey = [expiresAt: number, table: 'records' | 'small', key: string];
export type AuditKey = [at: number, seq: number];

export interface AuditRow {
  readonly text: AuditText;
  readonly link: string;
}

/** The state of the audit log: its last entry, and the last one removed. */
export interface ChainRow {
  readonly at: number;
  readonly head: AuditChain['head'];
  readonly anchor: AuditChain['anchor'];
}

export interface RecordRow {
  readonly kind: string;
  readonly data: string;
  readonly lane: Lane;
  readonly dueAt: number | null;
  readonly place: Place | null;
  readonly uniqueKey: string | null;
  readonly claims: number;
  /** null: nobody holds it. */
  readonly token: string | null;
  readonly leaseEndsAt: number;
  /** null: never. */
  readonly expiresAt: number | null;
  /** Its lists, and since when it has been on each. */
  readonly lists: Readonly<Record<string, number>>;
}

export interface SmallRow {
  readonly value: string;
  readonly expiresAt: number;
}

/** The tables at a time. */
export interface Reading {
  readonly tables: Tables;
  readonly now: number;
}

/** The tables, with exclusive write access. */
export interface Transaction extends Reading {
  readonly random: Random;
  readonly leaseMs: number;
  readonly signAudit: SignAudit;
  /** By shard: the name of the last checkpoint this process wrote. */
  readonly checkpoints: Map<number, string>;
}
