import type { Redis } from 'ioredis';

/** What a server says of itself; null: it does not tell. */
export interface ServerFacts {
  /** Its answer to WAITAOF is to be had from Redis 7.2 and Valkey on. */
  readonly knowsWaitAof: boolean;
  readonly evictionPolicy: string | null;
  readonly appendOnly: boolean;
  /** `always`, `everysec` or `no`. */
  readonly appendFsync: string | null;
  /** False: nothing is flushed while it rewrites its file or takes a snapshot. */
  readonly alwaysFlushes: boolean;
  /** When it takes snapshots; '' means never. */
  readonly snapshots: string | null;
  readonly replicas: number;
}

/** Asks with INFO, and with CONFIG for what INFO leaves out; managed servers may forbid CONFIG. */
export async function readServerFacts(redis: Redis): Promise<ServerFacts> {
  const [info, fsync, pausesFlush, save] = await Promise.all([
    redis.info(),
    readSetting(redis, 'appendfsync'),
    readSetting(redis, 'no-appendfsync-on-rewrite'),
    readSetting(redis, 'save'),
  ]);
  const read = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1] ?? null;
  const [major = 0, minor = 0] = (read('redis_version') ?? '').split('.').map(Number);
  return {
    knowsWaitAof: major > 7 || (major === 7 && minor >= 2),
    evictionPolicy: read('maxmemory_policy'),
    appendOnly: read('aof_enabled') === '1',
    appendFsync: fsync,
    alwaysFlushes: pausesFlush !== 'yes',
    snapshots: save,
    replicas: Number(read('connected_slaves') ?? 0),
  };
}

async function readSetting(redis: Redis, name: string): Promise<string | null> {
  const answer = await redis.config('GET', name).catch(() => []);
  return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : null;
}
