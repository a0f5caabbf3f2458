import type { Lane } from '../store.ts';

/** Every key in Redis. All keys of one shard share a hash tag, so that a script may use them together. */
export type RedisKeys = ReturnType<typeof redisKeys>;

/** The key that keeps the store's time in the shard of another key. */
export function clockBeside(key: string): string {
  return `${key.slice(0, key.indexOf('}') + 1)}:clock`;
}

export function redisKeys(namespace: string) {
  const key = (shard: number, kind: string, name = '') =>
    `${namespace}:{${shard}}:${kind}${name && `:${name}`}`;
  return {
    /** How many shards there are, written down at the first start. */
    shards: () => key(0, 'shards'),
    /** The form in which everything is kept, likewise. */
    form: () => key(0, 'form'),
    /** Written to be waited for; see `Confirmation`. */
    marker: (shard: number) => key(shard, 'marker'),
    record: (shard: number, member: string) => key(shard, 'r', member),
    inbox: (shard: number, member: string) => key(shard, 'i', member),
    /** That a signal came. */
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
    /** Where the chain of the audit log stands. */
    auditChain: (shard: number) => key(shard, 'audit-chain'),
    small: (shard: number, name: string) => key(shard, 'k', name),
    pace: (shard: number, name: string) => key(shard, 'pace', name),
    pause: (shard: number, name: string) => key(shard, 'pause', name),
    /** Who waits for a slot behind all others. */
    line: (shard: number, name: string) => key(shard, 'line', name),
  };
}
