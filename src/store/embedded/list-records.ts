import { pieceOf, readCursor, writeCursor } from '../list-position.ts';
import type { Listed, ListPiece } from '../store.ts';
import { liveRow, storedRecord } from './record-rows.ts';
import type { Tables } from './tables.ts';

/** `Store.list`. */
export function listRecords(
  tables: Tables,
  names: readonly string[],
  { after: cursor, limit }: ListPiece,
  now: number,
): Listed {
  const after = readCursor(cursor);
  const found = names.flatMap((name) => {
    const start = [name, after?.at ?? 0, after?.id ?? ''];
    const end = [name, Number.POSITIVE_INFINITY];
    // The one that was the last, and one more to see whether there are more.
    const keys = tables.lists.getKeys({ start, end, limit: limit + 2 });
    return [...keys].map(([, at, id]) => ({ at, id }));
  });
  const { piece, next } = pieceOf(found, { after, limit });
  const entries = piece.flatMap((position) => {
    const { id } = position;
    const row = liveRow(tables, id, now);
    if (row === undefined) return [];
    return [{ record: storedRecord(id, row), cursor: writeCursor(position) }];
  });
  return { entries, next };
}
