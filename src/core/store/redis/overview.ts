import type { StoreOverview } from '../store.ts';
import { allShards } from './claim.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** `Store.overview`: one round trip per shard, in parallel. */
export async function readOverview(
  needs: RedisNeeds,
  lists: readonly string[],
): Promise<StoreOverview> {
  const shards = await Promise.all(allShards(needs).map((shard) => readShard(needs, shard, lists)));
  const first = (times: readonly (number | null)[]) => {
    const known = times.filter((time) => time !== null);
    return known.length === 0 ? null : Math.min(...known);
  };
  return {
    now: Math.max(...shards.map(({ now }) => now)),
    lists: lists.map((_, i) => ({
      count: shards.reduce((sum, shard) => sum + (shard.lists[i]?.count ?? 0), 0),
      firstAt: first(shards.map((shard) => shard.lists[i]?.firstAt ?? null)),
    })),
    firstDueAt: {
      people: first(shards.map(({ firstDueAt }) => firstDueAt.people)),
      background: first(shards.map(({ firstDueAt }) => firstDueAt.background)),
    },
  };
}

async function readShard(
  { connection, keys }: RedisNeeds,
  shard: number,
  lists: readonly string[],
): Promise<StoreOverview> {
  const due = [keys.due(shard, 'people'), keys.due(shard, 'background')];
  const listKeys = lists.flatMap((name) => keys.list(shard, name));
  // as: the script's answer
  const [, now, people, background, ...found] = (await connection.run(
    'overview',
    [...due, ...listKeys],
    [],
  )) as ['overview', number, string | null, string | null, ...(number | string | null)[]];
  return {
    now,
    lists: lists.map((_, i) => {
      const [count, position] = found.slice(2 * i, 2 * i + 2);
      // Positions are in microseconds.
      const firstAt = position == null ? null : Math.floor(Number(position) / 1000);
      return { count: Number(count), firstAt };
    }),
    firstDueAt: { people: timeOf(people), background: timeOf(background) },
  };
}

function timeOf(text: string | null): number | null {
  return text === null ? null : Number(text);
}
