import { joined } from '../../lib/joined.ts';
import { type RecordId, randomName } from '../record-id.ts';
import type { Claimed, Held, Lane } from '../store.ts';
import { RECORDS_AT_ONCE } from './record-batches.ts';
import { readHeld } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

interface DueRecord {
  readonly id: RecordId;
  readonly dueAt: number;
}

/** Due records of one shard. */
interface Found {
  readonly shard: number;
  readonly now: number;
  readonly size: number;
  readonly firstDueAt: number | null;
  readonly due: readonly DueRecord[];
}

/**
 * Finds due records, then leases each with its own keys: two round trips, or one when nothing is due. An unavailable
 * server of a Cluster does not affect the others. Throws StoreError when no server answers, or none of what is due can
 * be leased.
 */
export async function claim(needs: RedisNeeds, lane: Lane, limit: number): Promise<Claimed> {
  const find = (shards: readonly number[], findLimit: number) =>
    Promise.allSettled(shards.map((shard) => findDue(needs, shard, lane, findLimit)));
  const asked = await find(allShards(needs), limit);
  const found = answersOf(asked);
  if (found.length === 0) throw firstReason(asked);
  const due = joined(found.map((shard) => shard.due)).sort((a, b) => a.dueAt - b.dueAt);
  if (due.length === 0) return summary([], found);
  const ids = due.map(({ id }) => id);
  const shards = found.map(({ shard }) => shard);
  const [{ held, refusing }, askedAgain] = await Promise.all([
    take(needs, lane, ids, limit),
    find(shards, 0),
  ]);
  const after = new Map(answersOf(askedAgain).map((each) => [each.shard, each]));
  // Records of a refusing server must not cause another claim at once.
  const latest = ({ shard, ...before }: Found) =>
    (!refusing.has(shard) && after.get(shard)) || { ...before, shard, firstDueAt: null };
  return summary(held, found.map(latest));
}

/**
 * Leases the first ones, up to `limit`. If a server refuses, later records take their place. Also returns the shards of
 * such servers.
 */
async function take(needs: RedisNeeds, lane: Lane, due: readonly RecordId[], limit: number) {
  const held: Held[] = [];
  const refusing = new Set<number>();
  let left = due;
  for (let room = limit; room > 0 && left.length > 0; ) {
    const ids = left.slice(0, room);
    const asked = batches(ids, needs);
    const answers = await Promise.allSettled(asked.map((batch) => lease(needs, lane, batch)));
    const byId = new Map(joined(answersOf(answers)));
    held.push(...ids.map((id) => byId.get(id)).filter((each) => each !== undefined));
    const refused = joined(asked.filter((_, i) => answers[i]?.status === 'rejected'));
    for (const { shard } of refused) refusing.add(shard);
    left = left.slice(room).filter(({ shard }) => !refusing.has(shard));
    if (held.length === 0 && refused.length > 0 && left.length === 0) throw firstReason(answers);
    room = refused.length;
  }
  return { held, refusing };
}

async function findDue(
  { connection, keys }: RedisNeeds,
  shard: number,
  lane: Lane,
  limit: number,
): Promise<Found> {
  // as: the script's answer
  const [, now, size, firstDueAt, members] = (await connection.run(
    'find-due',
    [keys.due(shard, lane)],
    [limit],
  )) as ['found', number, number, string | null, string[]];
  return {
    shard,
    now,
    size,
    firstDueAt: firstDueAt === null ? null : Number(firstDueAt),
    due: readDue(shard, members),
  };
}

/** Leases records of one shard, if they are still due. */
async function lease(
  { connection, keys, random }: RedisNeeds,
  lane: Lane,
  ids: readonly RecordId[],
): Promise<[RecordId, Held][]> {
  const [first] = ids;
  if (first === undefined) return [];
  const secrets = ids.map(() => randomName(random));
  const [, now, ...leased] = await connection.write(
    'lease',
    [
      keys.due(first.shard, lane),
      ...joined(
        ids.map(({ shard, member }) => [keys.record(shard, member), keys.inbox(shard, member)]),
      ),
    ],
    joined(ids.map(({ member }, i) => [member, secrets[i] ?? ''])),
  );
  return joined(
    ids.map((id, i) =>
      leased[i] ? [[id, readHeld(id, secrets[i] ?? '', lane, Number(now), leased[i])]] : [],
    ),
  );
}

/** Lists of at most `RECORDS_AT_ONCE` records, each of one shard. */
function batches(ids: readonly RecordId[], needs: RedisNeeds): readonly (readonly RecordId[])[] {
  const ofShard = (shard: number) => {
    const all = ids.filter((id) => id.shard === shard);
    return Array.from({ length: Math.ceil(all.length / RECORDS_AT_ONCE) }, (_, i) =>
      all.slice(i * RECORDS_AT_ONCE, (i + 1) * RECORDS_AT_ONCE),
    );
  };
  return joined(allShards(needs).map(ofShard));
}

function summary(held: readonly Held[], found: readonly Found[]): Claimed {
  const dueAts = found.map((shard) => shard.firstDueAt).filter((dueAt) => dueAt !== null);
  return {
    held,
    now: Math.max(...found.map((shard) => shard.now)),
    nextDueAt: dueAts.length === 0 ? null : Math.min(...dueAts),
    size: found.reduce((sum, shard) => sum + shard.size, 0),
  };
}

function answersOf<T>(asked: readonly PromiseSettledResult<T>[]): T[] {
  return asked.filter((each) => each.status === 'fulfilled').map(({ value }) => value);
}

function firstReason(asked: readonly PromiseSettledResult<unknown>[]): unknown {
  return asked.find((each) => each.status === 'rejected')?.reason;
}

export function allShards({ shards }: Pick<RedisNeeds, 'shards'>): readonly number[] {
  return Array.from({ length: shards }, (_, shard) => shard);
}

/** `found`: alternating members and due times. */
function readDue(shard: number, found: readonly string[]): readonly DueRecord[] {
  return Array.from({ length: found.length / 2 }, (_, i) => ({
    id: { shard, member: found[2 * i] ?? '' },
    dueAt: Number(found[2 * i + 1]),
  }));
}
