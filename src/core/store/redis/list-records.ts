import { type ListPosition, pieceOf, readCursor, writeCursor } from '../list-position.ts';
import { formatRecordId, type RecordId } from '../record-id.ts';
import type { Listed, ListPiece, StoredRecord } from '../store.ts';
import { readRecord } from './records.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** A found record, and its position. */
interface Found extends ListPosition {
  readonly record: RecordId;
  readonly list: string;
  /** False: in its sorted set. */
  readonly isInStream: boolean;
}

/** `Store.list`: finds them in each shard, then reads each with its own keys. Two round trips. */
export async function listRecords(
  needs: RedisNeeds,
  names: readonly string[],
  { after: cursor, limit, newestFirst = false }: ListPiece,
): Promise<Listed> {
  if (names.length === 0) return { entries: [], next: null };
  const after = readCursor(cursor);
  const from = after?.at ?? (newestFirst ? Number.MAX_SAFE_INTEGER : 0);
  const shards = Array.from({ length: needs.shards }, (_, shard) => shard);
  // One more, to see whether there are more.
  const find = (shard: number) =>
    findIn(needs, shard, names, [from, limit + 1, Number(newestFirst)]);
  const found = (await Promise.all(shards.map(find))).flat();
  const { piece, next } = pieceOf(found, { after, limit, newestFirst });
  const records = await Promise.all(piece.map((one) => readFound(needs, one)));
  const entries = piece.flatMap((one, i) => {
    const record = records[i];
    return record === undefined ? [] : [{ record, cursor: writeCursor(one) }];
  });
  return { entries, next };
}

async function findIn(
  { connection, keys }: RedisNeeds,
  shard: number,
  names: readonly string[],
  range: readonly [from: number, limit: number, newestFirst: number],
): Promise<readonly Found[]> {
  const listKeys = names.flatMap((name) => keys.list(shard, name));
  const [, , ...found] = await connection.run('list', listKeys, range);
  return Array.from({ length: found.length / 4 }, (_, i): Found => {
    // as: the script's answer
    const [member, at, list, isInStream] = found.slice(4 * i, 4 * i + 4) as FoundFields;
    const record = { shard, member };
    return {
      record,
      id: formatRecordId(record),
      at: Number(at),
      list: names[list - 1] ?? '',
      isInStream: isInStream === 1,
    };
  });
}

type FoundFields = [member: string, position: string, list: number, isInStream: 0 | 1];

/** A record that vanished without a last save, by hand or by eviction, is removed from the list. */
async function readFound(
  needs: RedisNeeds,
  { id, at, record: { shard, member }, list, isInStream }: Found,
): Promise<StoredRecord | undefined> {
  const record = await readRecord(needs, id);
  if (record !== undefined) return record;
  const { keys, connection } = needs;
  const touched = [keys.record(shard, member), ...keys.list(shard, list)];
  await connection.run('unlist', touched, [member, isInStream ? at : '']);
  return undefined;
}
