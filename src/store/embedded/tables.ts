import { type Database, open, type RootDatabase } from 'lmdb';
import type { Lane, NewAuditEntry, Place, Signal } from '../store.ts';

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
  /** null: it stays. */
  readonly expiresAt: number | null;
  /** Since when it stands on which lists; rows of earlier versions have none. */
  readonly lists?: Readonly<Record<string, number>>;
}

export interface SmallRow {
  readonly value: string;
  readonly expiresAt: number;
}

/** What goes at its time: the table and the key there. */
type ExpiryKey = [expiresAt: number, table: 'records' | 'small', key: string];

export interface Tables {
  readonly root: RootDatabase;
  readonly records: Database<RecordRow, string>;
  /** Signals that wait, oldest first; no entry when none does. */
  readonly inboxes: Database<readonly Signal[], string>;
  /** Record ids by unique key. */
  readonly unique: Database<string, string>;
  readonly due: Readonly<Record<Lane, Database<true, [dueAt: number, id: string]>>>;
  readonly lists: Database<true, [name: string, at: number, id: string]>;
  readonly small: Database<SmallRow, string>;
  readonly expiry: Database<true, ExpiryKey>;
  readonly audit: Database<NewAuditEntry, [at: number, number: number]>;
  /** The process that runs on this folder. */
  readonly owner: Database<Owner, 'owner'>;
  /** The store's time at the last write. */
  readonly clock: Database<number, 'last'>;
}

export interface Owner {
  readonly pid: number;
  /** null where the system does not tell. */
  readonly startedAt: string | null;
}

export function openTables(folder: string): Tables {
  const root = open({
    path: folder,
    // A name with a dot in it would be taken for a file.
    noSubdir: false,
    // Without overlapping sync a commit has been flushed when its promise resolves.
    overlappingSync: false,
    // With event turn batching each commit has a promise of LMDB's own that nobody can catch when it fails.
    eventTurnBatching: false,
  });
  return {
    root,
    records: root.openDB({ name: 'records' }),
    inboxes: root.openDB({ name: 'inboxes' }),
    unique: root.openDB({ name: 'unique' }),
    due: {
      people: root.openDB({ name: 'due-people' }),
      background: root.openDB({ name: 'due-background' }),
    },
    lists: root.openDB({ name: 'lists' }),
    small: root.openDB({ name: 'small' }),
    expiry: root.openDB({ name: 'expiry' }),
    audit: root.openDB({ name: 'audit' }),
    owner: root.openDB({ name: 'owner' }),
    clock: root.openDB({ name: 'clock' }),
  };
}

/** How many entries it has; costs the same however many. */
export function countOf(table: { getStats(): object }): number {
  // as: lmdb does not say which figures there are (MDB_stat: ms_entries)
  const { entryCount } = table.getStats() as { entryCount: number };
  return entryCount;
}
