import { randomBytes } from 'node:crypto';
import { type Cluster, Redis } from 'ioredis';
import { system } from '../../../src/core/lib/system.ts';
import {
  createRedisStore,
  type RedisStoreOptions,
} from '../../../src/core/store/redis/create-redis-store.ts';
import { redisKeys } from '../../../src/core/store/redis/keys.ts';
import type { Store } from '../../../src/core/store/store.ts';
import type { EmptiedWorld } from './reusing.ts';
import { type AuditWorld, keptAudit } from './store-world.ts';

export const silent = { info: () => undefined, warn: () => undefined };

export interface RedisWorld extends AuditWorld, EmptiedWorld {
  readonly namespace: string;
  /** A plain connection, to look behind the store. */
  readonly redis: Redis;
}

export async function openRedisWorld(
  url: string,
  options: Partial<RedisStoreOptions> = {},
): Promise<RedisWorld> {
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  const redis = new Redis(url);
  const open = () => createRedisStore({ ...system, url, namespace, logger: silent, ...options });
  const stores = [await open(), await open()] as const;
  const { form, shards } = redisKeys(namespace);
  const ofStart = [form(), shards()];
  return {
    namespace,
    redis,
    stores,
    pass: async (ms) => letTimePass(redis, await redis.keys(`${namespace}:*`), ms),
    later: async () => untilLater(stores[0]),
    async rewriteAudit(rewrite, ends) {
      const kept = rewrite(await keptAudit(stores[0]));
      const key = `${namespace}:{0}:audit`;
      await redis.del(key);
      for (const { at, seq, text, link } of kept) {
        const [a, r, w, f, m] = text;
        const fields = Object.entries({ a, r, w, f, m, l: link }).flat();
        await redis.xadd(key, `${at}-${seq}`, ...fields);
      }
      if (ends === undefined) return;
      const chain = `${namespace}:{0}:audit-chain`;
      const [, , , , , last = '0'] = (await redis.get(chain))?.split(' ') ?? [];
      const { head, anchor } = ends;
      const at = kept.at(-1)?.at ?? 0;
      const text = [head.seq, head.link, at, anchor.seq, anchor.link, last].join(' ');
      await redis.set(chain, text);
    },
    async empty() {
      const found = await redis.keys(`${namespace}:*`);
      const keys = found.filter((key) => !ofStart.includes(key));
      if (keys.length > 0) await redis.del(...keys);
      // Each learns the time again.
      for (const store of stores) await store.claim('people', 0);
    },
    async [Symbol.asyncDispose]() {
      for (const store of stores) await store[Symbol.asyncDispose]();
      const keys = await redis.keys(`${namespace}:*`);
      if (keys.length > 0) await redis.del(...keys);
      redis.disconnect();
    },
  };
}

/** Waits until its time has gone on by more than the error of the estimate. */
export async function untilLater(store: Store): Promise<void> {
  const before = store.now();
  while (store.now() <= before + 1) await system.timers.sleep(1);
}

/** Makes all leases, due times, lifetimes and turns older, as if the time had passed. */
export async function letTimePass(
  redis: Redis | Cluster,
  keys: readonly string[],
  ms: number,
): Promise<void> {
  for (const key of keys) {
    const kind = key.split(':')[2];
    if (kind === 'r') await ageLease(redis, key, ms);
    if (kind === 'due') await ageScores(redis, key, ms);
    if (kind === 'pace' || kind === 'pause' || kind === 'line') {
      await redis.set(key, Number(await redis.get(key)) - ms, 'KEEPTTL');
    }
    if (kind === 'clock') {
      const times = (await redis.get(key))?.split(' ') ?? [];
      await redis.set(key, times.map((time) => Number(time) - ms).join(' '));
    }
    const livesMs = await redis.pttl(key);
    if (livesMs > ms) await redis.pexpire(key, livesMs - ms);
    else if (livesMs >= 0) await redis.del(key);
  }
}

async function ageLease(redis: Redis | Cluster, key: string, ms: number): Promise<void> {
  const [claims, token, ends] = (await redis.getrange(key, 0, 35)).split(' ');
  const older = Math.max(0, Number(ends) - ms);
  await redis.setrange(key, 0, `${claims} ${token} ${String(older).padStart(13, '0')}`);
}

async function ageScores(redis: Redis | Cluster, key: string, ms: number): Promise<void> {
  for (const member of await redis.zrange(key, '0', '-1')) await redis.zincrby(key, -ms, member);
}

/** A place for one store on a Redis; `look` sends commands to it. */
export function redisPlace(
  url: string,
  look: Pick<Redis | Cluster, 'get' | 'set' | 'del' | 'disconnect'>,
) {
  const namespace = `test-${randomBytes(6).toString('hex')}`;
  const key = redisKeys(namespace).form();
  return {
    open: () => createRedisStore({ ...system, url, namespace, logger: silent }),
    async form() {
      const form = await look.get(key);
      return form === null ? null : Number(form);
    },
    async setForm(form: number | null) {
      await (form === null ? look.del(key) : look.set(key, form));
    },
    async [Symbol.asyncDispose]() {
      look.disconnect();
    },
  };
}
