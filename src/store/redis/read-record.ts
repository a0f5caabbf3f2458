import { parseRecordId, type RecordId } from '../record-id.ts';
import type { Lane, StoredRecord } from '../store.ts';
import type { RedisKeys } from './keys.ts';
import { readRecord as fromText } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** `Store.read`. */
export async function readRecord(needs: RedisNeeds, id: string): Promise<StoredRecord | undefined> {
  const at = parseRecordId(id, needs.shards);
  if (at === undefined) return undefined;
  const answer = await needs.connection.run('read', recordAndDue(needs.keys, at), [at.member]);
  if (answer[0] === 'missing') return undefined;
  // as: the script says what it answers
  const [, , text, lane, dueAt] = answer as ['found', number, string, Lane, string | null];
  return fromText(at, text, { lane, dueAt: dueAt === null ? null : Number(dueAt) });
}

/** Keys of a record and of both lanes of its due index. */
export function recordAndDue(keys: RedisKeys, { shard, member }: RecordId): readonly string[] {
  return [keys.record(shard, member), keys.due(shard, 'people'), keys.due(shard, 'background')];
}
