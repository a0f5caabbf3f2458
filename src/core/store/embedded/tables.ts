import { open, type RootDatabase } from 'lmdb';
import type { Signal } from '../store.ts';
import type {
  AuditKey,
  AuditRow,
  ChainRow,
  DueKey,
  ExpiryKey,
  InboxKey,
  ListKey,
  RecordRow,
  SmallRow,
  Tables,
  WaitingKey,
} from '../tables/tables.ts';

export type FolderTables = ReturnType<typeof openTables>;

export interface Owner {
  readonly pid: number;
  /** null if the system does not say. */
  readonly startedAt: string | null;
}

export function openTables(folder: string) {
  const root: RootDatabase = open({
    path: folder,
    // A name with a dot would be taken for a file.
    noSubdir: false,
    // Without overlapping sync, a commit has been flushed when its promise resolves.
    overlappingSync: false,
    // With event turn batching, each commit creates a promise inside LMDB whose rejection cannot be caught.
    eventTurnBatching: false,
    maxDbs: 16,
  });
  const tables = {
    records: root.openDB<RecordRow, string>({ name: 'records' }),
    inboxes: root.openDB<Signal, InboxKey>({ name: 'signals' }),
    waiting: root.openDB<number, WaitingKey>({ name: 'waiting' }),
    unique: root.openDB<string, string>({ name: 'unique' }),
    due: {
      people: root.openDB<true, DueKey>({ name: 'due-people' }),
      background: root.openDB<true, DueKey>({ name: 'due-background' }),
    },
    lists: root.openDB<true, ListKey>({ name: 'lists' }),
    small: root.openDB<SmallRow, string>({ name: 'small' }),
    expiry: root.openDB<true, ExpiryKey>({ name: 'expiry' }),
    audit: root.openDB<AuditRow, AuditKey>({ name: 'audit' }),
    chain: root.openDB<ChainRow, 'audit'>({ name: 'audit-chain' }),
  } satisfies Tables;
  return {
    ...tables,
    root,
    /** The process that runs on this folder. */
    owner: root.openDB<Owner, 'owner'>({ name: 'owner' }),
    /** The form of the data: see `FORM`. */
    form: root.openDB<number, 'form'>({ name: 'form' }),
    /** The store's time at the last write. */
    clock: root.openDB<number, 'last'>({ name: 'clock' }),
  };
}

/** The number of entries, in constant time. */
export function countOf(table: { getStats(): object }): number {
  // as: lmdb does not type its statistics (MDB_stat: ms_entries)
  const { entryCount } = table.getStats() as { entryCount: number };
  return entryCount;
}
