import { open, type RootDatabase } from 'lmdb';
import type { Signal } from '../store.ts';
import { putSignal, waits } from '../tables/inbox.ts';
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
  /** null where the system does not tell. */
  readonly startedAt: string | null;
}

export function openTables(folder: string) {
  const root: RootDatabase = open({
    path: folder,
    // A name with a dot in it would be taken for a file.
    noSubdir: false,
    // Without overlapping sync a commit has been flushed when its promise resolves.
    overlappingSync: false,
    // With event turn batching each commit has a promise of LMDB's own that nobody can catch when it fails.
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
    /** The store's time at the last write. */
    clock: root.openDB<number, 'last'>({ name: 'clock' }),
  };
}

/** An earlier build kept all signals that wait for a record in one row: a click among them is not lost. */
export async function moveInboxes(tables: FolderTables): Promise<void> {
  const inboxes = tables.root.openDB<readonly Signal[], string>({ name: 'inboxes' });
  if (countOf(inboxes) === 0) return;
  await tables.root.transaction(() => {
    for (const { key, value } of [...inboxes.getRange()]) {
      // A press that Slack delivered again after a return to that build may wait here, too.
      const news = value.filter(({ id }) => !waits(tables, key, id));
      if (tables.records.get(key) !== undefined)
        for (const each of news) putSignal(tables, key, each);
      inboxes.removeSync(key);
    }
  });
}

/** How many entries it has; costs the same however many. */
export function countOf(table: { getStats(): object }): number {
  // as: lmdb does not say which figures there are (MDB_stat: ms_entries)
  const { entryCount } = table.getStats() as { entryCount: number };
  return entryCount;
}
