import { shardOf } from '../record-id.ts';
import { type Rate, type Store, StoreError } from '../store.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** Small keys with a lifetime, and rate-limit slots; see `Store`. */
export function smallKeys({
  connection,
  keys,
  shards,
}: RedisNeeds): Pick<Store, 'put' | 'putIfAbsent' | 'replace' | 'get' | 'take' | 'pace' | 'pause'> {
  const small = (key: string) => keys.small(shardOf(key, shards), key);
  const ownSlots = new OwnSlots();
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
    async pace(name, rate) {
      const { intervalMs, burst, onlyNow = false, joinsLine = false } = rate;
      const shard = shardOf(name, shards);
      const slot = [keys.pace(shard, name), keys.pause(shard, name), keys.line(shard, name)];
      const args = [intervalMs, burst, onlyNow ? 1 : 0, joinsLine ? 1 : 0];
      try {
        const [, , waitMs] = await connection.run('pace', slot, args);
        return Number(waitMs);
      } catch (error) {
        // The paced work may be for servers that are available.
        const isPart = connection.isCluster && error instanceof StoreError;
        if (isPart) return ownSlots.take(name, rate, connection.now());
        throw error;
      }
    },
    async pause(name, forMs) {
      const pause = keys.pause(shardOf(name, shards), name);
      await connection.run('pause', [pause], [wholeMs(forMs)]);
    },
  };
}

/** Redis does not accept a lifetime of zero. */
function wholeMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}

/** This process's own slots, while the server of the shared ones is unavailable. */
class OwnSlots {
  readonly #usedUntil = new Map<string, number>();

  /** Like `RateLimiter.pace`; `now` is the store's time. */
  take(name: string, { intervalMs, burst, onlyNow }: Rate, now: number): number {
    for (const [each, until] of this.#usedUntil) if (until <= now) this.#usedUntil.delete(each);
    const usedUntil = this.#usedUntil.get(name) ?? now;
    const slotAt = Math.max(now, usedUntil - (burst - 1) * intervalMs);
    if (onlyNow !== true || slotAt <= now) this.#usedUntil.set(name, usedUntil + intervalMs);
    return Math.ceil(slotAt - now);
  }
}
