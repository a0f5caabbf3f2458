import { joined } from '../../lib/joined.ts';
import { type RecordId, randomName } from '../record-id.ts';
import type { Claimed, Held, Lane } from '../store.ts';
import { RECORDS_AT_ONCE } from './record-batches.ts';
import { readHeld } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

interface Due {
  readonly id: RecordId;
  readonly dueAt: number;
}

/** What is due in one shard. */
interface Found {
  readonly now: number;
  readonly size: number;
  readonly firstDueAt: number | null;
  readonly due: readonly Due[];
}

/**
 * Finds due records, then takes each with its own keys: two round trips, or one when nothing is due.
 */
export async function claim(needs: RedisNeeds, lane: Lane, limit: number): Promise<Claimed> {
  const find = (findLimit: number) =>
    Promise.all(allShards(needs).map((shard) => findDue(needs, shard, lane, findLimit)));
  const found = await find(limit);
  const due = joined(found.map((shard) => shard.due)).sort((a, b) => a.dueAt - b.dueAt);
  const ids = due.slice(0, limit).map(({ id }) => id);
  if (ids.length === 0) return summary([], found);
  const [leased, after] = await Promise.all([
    Promise.all(batches(ids, needs).map((batch) => lease(needs, lane, batch))),
    find(0),
  ]);
  const byId = new Map(joined(leased));
  return summary(
    ids.map((id) => byId.get(id)).filter((held) => held !== undefined),
    after,
  );
}

async function findDue(
  { connection, keys }: RedisNeeds,
  shard: number,
  lane: Lane,
  limit: number,
): Promise<Found> {
  // as: the script says what it answers
  const [, now, size, firstDueAt, members] = (await connection.run(
    'find-due',
    [keys.due(shard, lane)],
    [limit],
  )) as ['found', number, number, string | null, string[]];
  return {
    now,
    size,
    firstDueAt: firstDueAt === null ? null : Number(firstDueAt),
    due: readDue(shard, members),
  };
}

/** Takes records of one shard, as far as they are still due. */
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

/** Lists of at most `RECORDS_AT_ONCE` records of one shard each. */
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

export function allShards({ shards }: Pick<RedisNeeds, 'shards'>): readonly number[] {
  return Array.from({ length: shards }, (_, shard) => shard);
}

/** `found`: members and when they are due, in turn. */
function readDue(shard: number, found: readonly string[]): readonly Due[] {
  return Array.from({ length: found.length / 2 }, (_, i) => ({
    id: { shard, member: found[2 * i] ?? '' },
    dueAt: Number(found[2 * i + 1]),
  }));
}
