import { pieceOf, readCursor, writeCursor } from '../list-position.ts';
import { parseRecordId } from '../record-id.ts';
import {
  COUNTED_MOST,
  type Lane,
  type Listed,
  type ListPiece,
  type StoredRecord,
  type StoreOverview,
} from '../store.ts';
import { clearInbox } from './inbox.ts';
import type { Reading, RecordRow, Tables } from './tables.ts';

/** How many expired rows each write removes. */
const SWEPT_AT_ONCE = 8;

export function readRecord(reading: Reading, id: string): StoredRecord | undefined {
  const row = liveRow(reading, id);
  return row && storedRecord(id, row);
}

export function findRecord(reading: Reading, uniqueKey: string): StoredRecord | undefined {
  const id = reading.tables.unique.get(uniqueKey);
  return id === undefined ? undefined : readRecord(reading, id);
}

/** A record that has not expired. */
export function liveRow({ tables, now }: Reading, id: string): RecordRow | undefined {
  // Ids come back from outside, and the length of keys is limited.
  if (parseRecordId(id, 1) === undefined) return undefined;
  const row = tables.records.get(id);
  return row !== undefined && (row.expiresAt === null || row.expiresAt > now) ? row : undefined;
}

export function storedRecord(id: string, row: RecordRow): StoredRecord {
  const { kind, data, lane, dueAt, place, uniqueKey, lists } = row;
  return { id, kind, data, lane, dueAt, place, uniqueKey, lists: Object.keys(lists) };
}

/** `Store.list`. */
export function listRecords(
  reading: Reading,
  names: readonly string[],
  { after: cursor, limit, newestFirst = false }: ListPiece,
): Listed {
  const after = readCursor(cursor);
  const found = names.flatMap((name) => {
    const from = newestFirst ? Number.POSITIVE_INFINITY : 0;
    const start = [name, after?.at ?? from, after?.id ?? ''];
    // The last one returned, and one more to see whether there are more.
    const range = { start, limit: limit + 2, ...(newestFirst && { reverse: true as const }) };
    const found = [...reading.tables.lists.getKeys(range)];
    return found.filter(([list]) => list === name).map(([, at, id]) => ({ at, id }));
  });
  const { piece, next } = pieceOf(found, { after, limit, newestFirst });
  const entries = piece.flatMap((position) => {
    const record = readRecord(reading, position.id);
    return record === undefined ? [] : [{ record, cursor: writeCursor(position) }];
  });
  return { entries, next };
}

/** `Store.overview`. */
export function overviewOf({ tables, now }: Reading, names: readonly string[]): StoreOverview {
  const firstDueAt = (lane: Lane) => {
    const [first] = tables.due[lane].getKeys({ limit: 1 });
    return first?.[0] ?? null;
  };
  // For all lists together: clicks have to wait while it counts.
  let left = COUNTED_MOST;
  return {
    now,
    lists: names.map((name) => {
      const end = [name, Number.POSITIVE_INFINITY];
      const limit = Math.max(1, left);
      const keys = [...tables.lists.getKeys({ start: [name, 0, ''], end, limit })];
      left -= keys.length;
      return { count: keys.length, firstAt: keys[0]?.[1] ?? null };
    }),
    firstDueAt: { people: firstDueAt('people'), background: firstDueAt('background') },
  };
}

/** Writes a row, and updates the due index, its lists and its expiry. */
export function writeRow(
  tables: Tables,
  id: string,
  before: RecordRow | undefined,
  after: RecordRow,
): void {
  if (before?.dueAt !== after.dueAt || before?.lane !== after.lane) {
    if (before !== undefined && before.dueAt !== null) {
      tables.due[before.lane].removeSync([before.dueAt, id]);
    }
    if (after.dueAt !== null) tables.due[after.lane].putSync([after.dueAt, id], true);
  }
  if (before?.expiresAt !== after.expiresAt) {
    if (before !== undefined && before.expiresAt !== null) {
      tables.expiry.removeSync([before.expiresAt, 'records', id]);
    }
    if (after.expiresAt !== null) tables.expiry.putSync([after.expiresAt, 'records', id], true);
  }
  if (before?.lists !== after.lists) moveLists(tables, id, before?.lists, after.lists);
  tables.records.putSync(id, after);
}

type Lists = RecordRow['lists'];

function moveLists(tables: Tables, id: string, before: Lists = {}, after: Lists = {}): void {
  for (const [name, at] of Object.entries(before)) tables.lists.removeSync([name, at, id]);
  for (const [name, at] of Object.entries(after)) tables.lists.putSync([name, at, id], true);
}

/** The lists after a save: the record keeps its position on those it stays on. */
export function listsAfter(lists: Lists, names: readonly string[], now: number): Lists {
  return Object.fromEntries(names.map((name) => [name, lists[name] ?? now]));
}

export function removeRow(tables: Tables, id: string, row: RecordRow): void {
  if (row.dueAt !== null) tables.due[row.lane].removeSync([row.dueAt, id]);
  if (row.expiresAt !== null) tables.expiry.removeSync([row.expiresAt, 'records', id]);
  if (row.uniqueKey !== null && tables.unique.get(row.uniqueKey) === id) {
    tables.unique.removeSync(row.uniqueKey);
  }
  moveLists(tables, id, row.lists);
  clearInbox(tables, id);
  tables.records.removeSync(id);
}

/** Runs at the start of each write. Reads never depend on it. */
export function sweep({ tables, now }: Reading): void {
  const end = [now, 'small', '\uffff'];
  for (const ended of [...tables.expiry.getKeys({ end, limit: SWEPT_AT_ONCE })]) {
    const [, table, key] = ended;
    tables.expiry.removeSync(ended);
    if (table === 'small') {
      tables.small.removeSync(key);
    } else {
      const row = tables.records.get(key);
      if (row !== undefined) removeRow(tables, key, row);
    }
  }
}
