import { joined } from '../../lib/joined.ts';
import { formatRecordId, parseRecordId, type RecordId, randomName, shardOf } from '../record-id.ts';
import { renewedToken } from '../renewed.ts';
import {
  type Change,
  type Created,
  KNOWN_MS,
  type Lane,
  type Lease,
  type NewRecord,
  type Saved,
  type Signalled,
  type SignalOptions,
  type StoredRecord,
} from '../store.ts';
import { auditArguments } from './audit.ts';
import type { RedisKeys } from './keys.ts';
import {
  readHeld,
  readInbox,
  readRecordText,
  readToken,
  writeLease,
  writeNewRecord,
  writePlace,
} from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

/**
 * `Store.create`. One round trip for a new record. If another record holds the unique key, a second one reads it,
 * because its key is not known before. `gone`: a record known to be gone; a unique key that still names it is free.
 */
export async function createRecord(
  needs: RedisNeeds,
  record: NewRecord,
  options: { readonly hold: boolean },
  gone = '',
): Promise<Created> {
  const { uniqueKey = null } = record;
  // A name that is given twice counts once.
  const lists = [...new Set(record.lists)];
  const id = newId(needs, uniqueKey);
  const secret = options.hold ? randomName(needs.random) : '';
  const { now, answer } = await needs.batches.write(
    'create',
    id.shard,
    {
      keys: keysOfNew(needs, id, { ...record, lists }),
      args: [
        id.member,
        gone,
        ...writeNewRecord(record),
        record.lane,
        Math.ceil(record.dueInMs),
        secret,
        lists.length,
        ...lists,
        ...auditArguments(needs, id.shard, record.audit ?? [], formatRecordId(id)),
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

function newId({ random, shards }: RedisNeeds, uniqueKey: string | null): RecordId {
  const member = randomName(random);
  return { shard: shardOf(uniqueKey ?? member, shards), member };
}

function keysOfNew(
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

/** `Store.read`. */
export async function readRecord(needs: RedisNeeds, id: string): Promise<StoredRecord | undefined> {
  const at = parseRecordId(id, needs.shards);
  if (at === undefined) return undefined;
  const answer = await needs.connection.run('read', recordAndDue(needs.keys, at), [at.member]);
  if (answer[0] === 'missing') return undefined;
  // as: the script's answer
  const [, , text, lane, dueAt] = answer as ['found', number, string, Lane, string | null];
  return readRecordText(at, text, { lane, dueAt: dueAt === null ? null : Number(dueAt) });
}

/** `Store.find`. */
export async function findRecord(
  needs: RedisNeeds,
  uniqueKey: string,
): Promise<StoredRecord | undefined> {
  const shard = shardOf(uniqueKey, needs.shards);
  const key = needs.keys.unique(shard, uniqueKey);
  const member = await needs.connection.send('find', key, (redis) => redis.get(key));
  return member === null ? undefined : readRecord(needs, formatRecordId({ shard, member }));
}

/** Keys of a record and of both lanes of its due index. */
function recordAndDue(keys: RedisKeys, { shard, member }: RecordId): readonly string[] {
  return [keys.record(shard, member), keys.due(shard, 'people'), keys.due(shard, 'background')];
}

/** `Store.signal`. */
export async function signalRecord(
  { connection, keys, shards, random }: RedisNeeds,
  id: string,
  signal: { readonly id: string; readonly body: string },
  { place, hold, once = false }: SignalOptions,
): Promise<Signalled> {
  const at = parseRecordId(id, shards);
  if (at === undefined) return { kind: 'missing' };
  const { shard, member } = at;
  const secret = hold ? randomName(random) : '';
  const answer = await connection.write(
    'signal',
    [
      keys.record(shard, member),
      keys.inbox(shard, member),
      keys.due(shard, 'people'),
      keys.due(shard, 'background'),
      keys.known(shard, member, signal.id),
    ],
    [
      member,
      signal.id,
      signal.body,
      secret,
      place ? writePlace(place) : '',
      place ? writePlace({ ...place, message: null }) : '',
      once ? KNOWN_MS : '',
    ],
    keys.marker(shard),
  );
  // as: the script's answer
  const kind = answer[0] as Signalled['kind'];
  if (kind !== 'leased') return { kind };
  return { kind, held: readHeld(at, secret, 'people', Number(answer[1]), answer[2]) };
}

/**
 * `Store.save`. One round trip, and another one if the record leaves lists that it was added to under this lease.
 * `known`: its lists in addition to those in the lease.
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
      keys: keysToSave(keys, at, named ?? [], uniqueKey),
      args: [
        secret,
        renewedToken(secret),
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
        ...auditArguments(needs, at.shard, change.audit),
      ],
    },
    { isConfirmed: change.durable === true },
  );
  if (answer[0] === 'lost') return { kind: 'lost' };
  // as: the script's answer
  if (answer[0] === 'unnamed') return saveRecord(needs, lease, change, answer[1] as string[]);
  const [, released, inbox] = answer as ['saved', number, string[]];
  return { kind: 'saved', released: released === 1, inbox: readInbox(inbox), now };
}

/** Instead of a place: place and data are unchanged. No place looks like this. */
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
  const args = [secret, renewedToken(secret), at.member, Math.ceil(dueAt)];
  const [word] = await connection.write('defer', recordAndDue(keys, at), args);
  return word === 'deferred' ? 'deferred' : 'lost';
}

/** undefined: no list can change. */
function listsToName({ lists, next }: Change, on: readonly string[]): string[] | undefined {
  if (lists === undefined && next.kind !== 'finish') return undefined;
  return [...new Set([...on, ...(lists ?? [])])];
}

function keysToSave(
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
