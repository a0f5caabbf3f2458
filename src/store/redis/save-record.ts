import { parseRecordId, type RecordId } from '../record-id.ts';
import type { Change, Lease, Saved } from '../store.ts';
import { auditArguments } from './audit.ts';
import type { RedisKeys } from './keys.ts';
import { recordAndDue } from './read-record.ts';
import { readInbox, readToken, writePlace } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** `Store.save`. */
export async function saveRecord(
  { connection, keys, shards }: RedisNeeds,
  lease: Lease,
  change: Change,
): Promise<Saved> {
  const at = parseRecordId(lease.id, shards);
  if (at === undefined) return { kind: 'lost' };
  const { secret, uniqueKey } = readToken(lease.token);
  const { next } = change;
  const answer = await connection.write(
    'save',
    keysOf(keys, at, uniqueKey),
    [
      secret,
      at.member,
      change.data,
      writePlace(change.place),
      next.kind,
      next.kind === 'release' ? next.lane : '',
      nextMs(next),
      change.handled.length,
      ...change.handled,
      ...auditArguments(change.audit, null),
    ],
    change.durable === true ? keys.marker(at.shard) : undefined,
  );
  if (answer[0] === 'lost') return { kind: 'lost' };
  // as: the script says what it answers
  const [, now, released, inbox] = answer as ['saved', number, number, string[]];
  return { kind: 'saved', released: released === 1, inbox: readInbox(inbox), now };
}

/** `Store.defer`. */
export async function deferRecord(
  { connection, keys, shards }: RedisNeeds,
  lease: Lease,
  dueAt: number,
): Promise<'deferred' | 'lost'> {
  const at = parseRecordId(lease.id, shards);
  if (at === undefined) return 'lost';
  const { secret } = readToken(lease.token);
  const args = [secret, at.member, Math.ceil(dueAt)];
  const [word] = await connection.write('defer', recordAndDue(keys, at), args);
  return word === 'deferred' ? 'deferred' : 'lost';
}

function keysOf(keys: RedisKeys, at: RecordId, uniqueKey: string): readonly string[] {
  const { shard, member } = at;
  const always = [
    keys.record(shard, member),
    keys.inbox(shard, member),
    keys.due(shard, 'people'),
    keys.due(shard, 'background'),
    keys.audit(shard),
  ];
  return uniqueKey === '' ? always : [...always, keys.unique(shard, uniqueKey)];
}

function nextMs(next: Change['next']): number {
  if (next.kind === 'release') return Math.ceil(next.dueAt);
  return next.kind === 'finish' ? Math.ceil(next.keepMs) : 0;
}
