import { joined } from '../../lib/joined.ts';
import { formatRecordId, type RecordId, randomName, shardOf } from '../record-id.ts';
import type { Created, NewRecord } from '../store.ts';
import { auditArguments } from './audit.ts';
import { readRecord } from './read-record.ts';
import { writeLease, writeNewRecord } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

/**
 * `Store.create`. One round trip for a new record. Where another holds the unique key it is read in a
 * second one, because its key is not known before. `gone`: a record known to be gone; a unique key
 * that still names it is free.
 */
export async function createRecord(
  needs: RedisNeeds,
  record: NewRecord,
  options: { readonly hold: boolean },
  gone = '',
): Promise<Created> {
  const { uniqueKey = null, lists = [] } = record;
  const id = newId(needs, uniqueKey);
  const secret = options.hold ? randomName(needs.randomBytes) : '';
  const { now, answer } = await needs.batches.write(
    'create',
    id.shard,
    {
      keys: keysOf(needs, id, record),
      args: [
        id.member,
        gone,
        ...writeNewRecord(record),
        record.lane,
        Math.ceil(record.dueInMs),
        secret,
        lists.length,
        ...lists,
        ...auditArguments(record.audit ?? [], formatRecordId(id)),
      ],
    },
    { isConfirmed: true },
  );
  const [word, result] = answer;
  if (word === 'exists') {
    const holder = String(result);
    const existing = await readRecord(needs, formatRecordId({ shard: id.shard, member: holder }));
    if (existing === undefined) return createRecord(needs, record, options, holder);
    return { kind: 'exists', record: existing };
  }
  const created = { kind: 'created', id: formatRecordId(id), now } as const;
  if (!options.hold) return created;
  const { kind, data, lane, place } = record;
  const dueAt = Number(result);
  const stored = { id: created.id, kind, data, lane, dueAt, place, uniqueKey, lists };
  const lease = writeLease(id, secret, stored);
  return { ...created, held: { lease, record: stored, inbox: [], claims: 1, now: created.now } };
}

function newId({ randomBytes, shards }: RedisNeeds, uniqueKey: string | null): RecordId {
  const member = randomName(randomBytes);
  return { shard: shardOf(uniqueKey ?? member, shards), member };
}

function keysOf(
  { keys }: RedisNeeds,
  { shard, member }: RecordId,
  { uniqueKey, lists = [] }: NewRecord,
): readonly string[] {
  const always = [
    keys.record(shard, member),
    ...joined(lists.map((name) => keys.list(shard, name))),
  ];
  return uniqueKey === undefined ? always : [...always, keys.unique(shard, uniqueKey)];
}
