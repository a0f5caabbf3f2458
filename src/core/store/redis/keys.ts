import type { Lane } from '../store.ts';

/** All keys in Redis. The keys of a shard share a hash tag, so that a script can use them together. */
export type RedisKeys = ReturnType<typeof redisKeys>;

/** The key of the store's time in the shard of another key. */
export function clockKeyFor(key: string): string {
  return `${key.slice(0, key.indexOf('}') + 1)}:clock`;
}

export function redisKeys(namespace: string) {
  const key = (shard: number, kind: string, name = '') =>
    `${namespace}:{${shard}}:${kind}${name && `:${name}`}`;
  return {
    /** The number of shards, set at the first start. */
    shards: () => key(0, 'shards'),
    /** The form of the data, set at the first start. */
    form: () => key(0, 'form'),
    /** Written only to be waited for; see `Confirmation`. */
    marker: (shard: number) => key(shard, 'marker'),
    record: (shard: number, member: string) => key(shard, 'r', member),
    inbox: (shard: number, member: string) => key(shard, 'i', member),
    /** That a signal has arrived. */
    known: (shard: number, member: string, signal: string) =>
      key(shard, 's', `${member}:${signal}`),
    unique: (shard: number, uniqueKey: string) => key(shard, 'u', uniqueKey),
    due: (shard: number, lane: Lane) => key(shard, 'due', lane),
    /** A list: its first records, and the stream of the others. */
    list: (shard: number, name: string): readonly [few: string, many: string] => [
      key(shard, 'few', name),
      key(shard, 'many', name),
    ],
    audit: (shard: number) => key(shard, 'audit'),
    /** The state of the audit log's chain. */
    auditChain: (shard: number) => key(shard, 'audit-chain'),
    small: (shard: number, name: string) => key(shard, 'k', name),
    pace: (shard: number, name: string) => key(shard, 'pace', name),
    pause: (shard: number, name: string) => key(shard, 'pause', name),
    /** The queue behind all slots. */
    line: (shard: number, name: string) => key(shard, 'line', name),
  };
}
