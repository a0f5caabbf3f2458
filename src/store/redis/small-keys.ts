import { shardOf } from '../record-id.ts';
import type { Store } from '../store.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** Small keys with a lifetime, and slots; what they mean is said in `Store`. */
export function smallKeys({
  connection,
  keys,
  shards,
}: RedisNeeds): Pick<Store, 'put' | 'putIfAbsent' | 'replace' | 'get' | 'take' | 'pace' | 'pause'> {
  const small = (key: string) => keys.small(shardOf(key, shards), key);
  return {
    async put(key, value, lifetimeMs) {
      await connection.send('put', small(key), (redis) =>
        redis.set(small(key), value, 'PX', wholeMs(lifetimeMs)),
      );
    },
    async putIfAbsent(key, value, lifetimeMs) {
      const answer = await connection.send('putIfAbsent', small(key), (redis) =>
        redis.set(small(key), value, 'PX', wholeMs(lifetimeMs), 'NX'),
      );
      return answer === 'OK';
    },
    async replace(key, from, to, lifetimeMs) {
      const values = [from, to, wholeMs(lifetimeMs)];
      const [answer] = await connection.run('replace', [small(key)], values);
      return answer === 'replaced';
    },
    async get(key) {
      const value = await connection.send('get', small(key), (redis) => redis.get(small(key)));
      return value ?? undefined;
    },
    async take(key) {
      const value = await connection.send('take', small(key), (redis) => redis.getdel(small(key)));
      return value ?? undefined;
    },
    async pace(name, { intervalMs, burst, onlyNow = false, joinsLine = false }) {
      const shard = shardOf(name, shards);
      const slot = [keys.pace(shard, name), keys.pause(shard, name), keys.line(shard, name)];
      const rate = [intervalMs, burst, onlyNow ? 1 : 0, joinsLine ? 1 : 0];
      const [, , waitMs] = await connection.run('pace', slot, rate);
      return Number(waitMs);
    },
    async pause(name, forMs) {
      const pause = keys.pause(shardOf(name, shards), name);
      await connection.run('pause', [pause], [wholeMs(forMs)]);
    },
  };
}

/** Redis lets nothing live for no time at all. */
function wholeMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
