import { joined } from '../../lib/joined.ts';
import { parseRecordId, type RecordId } from '../record-id.ts';
import type { Change, Lease, Saved } from '../store.ts';
import { auditArguments } from './audit.ts';
import type { RedisKeys } from './keys.ts';
import { recordAndDue } from './read-record.ts';
import { readInbox, readToken, writePlace } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

/**
 * `Store.save`. One round trip, and another one where the record leaves lists that it was put on under
 * this lease. `known`: lists that it is on besides those that the lease tells.
 */
export async function saveRecord(
  needs: RedisNeeds,
  lease: Lease,
  change: Change,
  known: readonly string[] = [],
): Promise<Saved> {
  const { batches, keys, shards } = needs;
  const at = parseRecordId(lease.id, shards);
  if (at === undefined) return { kind: 'lost' };
  const { secret, uniqueKey, lists } = readToken(lease.token);
  const { next } = change;
  const named = listsToName(change, [...lists, ...known]);
  const { now, answer } = await batches.write(
    'save',
    at.shard,
    {
      keys: keysOf(keys, at, named ?? [], uniqueKey),
      args: [
        secret,
        at.member,
        change.data ?? '',
        change.data === null ? AS_BEFORE : writePlace(change.place),
        next.kind,
        next.kind === 'release' ? next.lane : '',
        nextMs(next),
        change.handled.length,
        ...change.handled,
        named?.length ?? '',
        ...joined(
          (named ?? []).map((name) => [name, (change.lists ?? named)?.includes(name) ? 1 : '']),
        ),
        ...auditArguments(change.audit, null),
      ],
    },
    { isConfirmed: change.durable === true },
  );
  if (answer[0] === 'lost') return { kind: 'lost' };
  // as: the script says what it answers
  if (answer[0] === 'unnamed') return saveRecord(needs, lease, change, answer[1] as string[]);
  const [, released, inbox] = answer as ['saved', number, string[]];
  return { kind: 'saved', released: released === 1, inbox: readInbox(inbox), now };
}

/** In the place of a place: place and data stay. No place is written so. */
const AS_BEFORE = '=';

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

/** undefined: no list can change. */
function listsToName({ lists, next }: Change, on: readonly string[]): string[] | undefined {
  if (lists === undefined && next.kind !== 'finish') return undefined;
  return [...new Set([...on, ...(lists ?? [])])];
}

function keysOf(
  keys: RedisKeys,
  at: RecordId,
  lists: readonly string[],
  uniqueKey: string,
): readonly string[] {
  const { shard, member } = at;
  const always = [
    keys.record(shard, member),
    keys.inbox(shard, member),
    ...joined(lists.map((name) => keys.list(shard, name))),
  ];
  return uniqueKey === '' ? always : [...always, keys.unique(shard, uniqueKey)];
}

function nextMs(next: Change['next']): number {
  if (next.kind === 'release') return Math.ceil(next.dueAt);
  return next.kind === 'finish' ? Math.ceil(next.keepMs) : 0;
}
