import type { Redis } from 'ioredis';
import type { RedisConfirm } from '../../config/config.ts';
import { StoreError, type StoreLogger } from '../store.ts';
import type { Confirm } from './confirmation.ts';
import type { RedisConnection } from './redis-connection.ts';

/**
 * Checks all servers at the start, warns of what can be lost, and returns how writes are confirmed (null: they are
 * not). With `strict` it throws StoreError `unavailable` instead of warning; but not for what a server does not report,
 * or for advice.
 */
export async function checkServers(
  connection: RedisConnection,
  { confirm, strict }: { readonly confirm: RedisConfirm; readonly strict: boolean },
  logger: StoreLogger,
): Promise<Confirm | null> {
  const servers = await connection.askEach('info', readServerFacts);
  const judgement = judgeServers(servers, confirm);
  const { dangers, unknowns, advice } = judgement;
  if (strict && dangers.length > 0) {
    throw new StoreError('unavailable', `REDIS_STRICT is set: ${dangers.join(' ')}`);
  }
  for (const sentence of [...dangers, ...unknowns]) logger.warn({}, sentence);
  for (const sentence of advice) logger.warn({ isAdvice: true }, sentence);
  return judgement.confirm;
}

/** How writes are confirmed, and what can be lost: one sentence each, with the setting to change. */
interface Judgement {
  /** null: a write counts when the server has answered. */
  readonly confirm: Confirm | null;
  readonly dangers: readonly string[];
  /** What cannot be checked. Never refused: on a managed server nobody could fix it. */
  readonly unknowns: readonly string[];
  /** Improvements where nothing can be lost. */
  readonly advice: readonly string[];
}

/** `servers`: all that accept writes. */
export function judgeServers(servers: readonly ServerFacts[], asked: RedisConfirm): Judgement {
  const confirm = chooseConfirm(servers, asked);
  const dangers = servers.flatMap((server) => [
    ...judgeMemory(server),
    ...judgeDisk(server),
    ...judgeConfirm(server, asked, confirm),
  ]);
  const unknowns = servers.flatMap((server) => unknownsOf(server, confirm));
  const advice = servers.length > 1 ? servers.flatMap(judgeCoverage) : [];
  return {
    confirm,
    dangers: unique(dangers),
    unknowns: unique(unknowns),
    advice: unique(advice),
  };
}

/** For a node of a Cluster. */
function judgeCoverage({ requiresFullCoverage }: ServerFacts): string[] {
  if (requiresFullCoverage === null) {
    return [
      'Redis does not tell its cluster-require-full-coverage: make sure that it is no, or the whole Cluster refuses everything while one shard is away.',
    ];
  }
  if (!requiresFullCoverage) return [];
  return [
    'The whole Cluster refuses everything while one shard is away (cluster-require-full-coverage yes); set cluster-require-full-coverage no, so that the others continue.',
  ];
}

function chooseConfirm(servers: readonly ServerFacts[], asked: RedisConfirm): Confirm | null {
  if (asked === 'off') return null;
  if (asked !== 'auto') return asked;
  const isKnown = servers.every((server) => server.knowsWaitAof && server.appendOnly);
  return isKnown ? 'aof' : null;
}

function judgeMemory({ evictionPolicy }: ServerFacts): string[] {
  if (evictionPolicy === null || evictionPolicy === 'noeviction') return [];
  return [
    `Redis throws records away when its memory is full (${evictionPolicy}): an approval and its clicks can vanish; set maxmemory-policy noeviction.`,
  ];
}

function judgeDisk({ appendOnly, snapshots }: ServerFacts): string[] {
  if (appendOnly || snapshots === null) return [];
  return snapshots === ''
    ? ['Redis keeps nothing on disk: when it ends, every record is lost; set appendonly yes.']
    : [
        'Redis only takes a snapshot now and then: when it crashes, all since the last one is lost; set appendonly yes.',
      ];
}

function judgeConfirm(server: ServerFacts, asked: RedisConfirm, confirm: Confirm | null): string[] {
  if (asked === 'aof') return judgeFile(server);
  if (confirm === 'aof') return [];
  const replicas = confirm === null ? [] : judgeReplicas(server.replicas, confirm.replicas);
  return [...replicas, ...judgeFlush(server, confirm)];
}

/**
 * For writes that do not wait for the flush. With `everysec`, during a slow flush Redis also delays writing to the file
 * (for up to 2 s), so that even a killed process loses that.
 */
function judgeFlush(
  { appendOnly, appendFsync, alwaysFlushes, knowsWaitAof }: ServerFacts,
  confirm: Confirm | null,
): string[] {
  if (!appendOnly || appendFsync === null) return [];
  // Flushed before each answer: the answer is the confirmation.
  if (appendFsync === 'always' && alwaysFlushes) return [];
  const [what, mend] =
    appendFsync === 'always'
      ? ['no-appendfsync-on-rewrite yes', 'no-appendfsync-on-rewrite no']
      : [`appendfsync ${appendFsync}`, 'appendfsync always'];
  if (confirm !== null) {
    return [
      `Redis answers before its file is on the disk (${what}): clicks of the last seconds can be lost when it crashes and comes back before a replica takes over; set ${mend}.`,
    ];
  }
  const orKilled =
    appendFsync === 'everysec' ? ', or when Redis is killed while its disk is slow' : '';
  const other = knowsWaitAof ? 'REDIS_CONFIRM=aof' : 'upgrade to Redis 7.2, for REDIS_CONFIRM=aof';
  return [
    `Redis answers before its file is on the disk (${what}), and Gatepost does not wait for it: acknowledged clicks of the last seconds can be lost when the machine crashes${orKilled}; set ${mend}, or ${other}.`,
  ];
}

function judgeReplicas(connected: number, wanted: number): string[] {
  if (connected >= wanted) return [];
  return [
    `REDIS_CONFIRM asks for ${wanted} replicas and ${connected} are connected: no click can be acknowledged until there are enough.`,
  ];
}

function judgeFile({ knowsWaitAof, appendOnly }: ServerFacts): string[] {
  if (!knowsWaitAof) {
    return [
      'REDIS_CONFIRM=aof needs Redis 7.2 or Valkey: no click can be acknowledged; upgrade, or set REDIS_CONFIRM=off with appendfsync always.',
    ];
  }
  if (appendOnly) return [];
  return [
    'REDIS_CONFIRM=aof needs the append-only file: no click can be acknowledged; set appendonly yes.',
  ];
}

function unknownsOf(
  { appendOnly, appendFsync, snapshots, evictionPolicy }: ServerFacts,
  confirm: Confirm | null,
): string[] {
  const unknowns: string[] = [];
  if (evictionPolicy === null) {
    unknowns.push(
      'Redis does not tell its maxmemory-policy: make sure that it is noeviction, or records can vanish when its memory is full.',
    );
  }
  if (appendOnly && appendFsync === null && confirm === null) {
    unknowns.push(
      'Redis does not tell its appendfsync, and Gatepost does not wait for its disk: make sure that it is always, or acknowledged clicks of the last seconds can be lost in a crash.',
    );
  }
  if (!appendOnly && snapshots === null) {
    unknowns.push(
      'Redis has no append-only file and forbids CONFIG: whether it keeps anything on disk is not known; all records may be lost when it ends.',
    );
  }
  return unknowns;
}

function unique(sentences: readonly string[]): readonly string[] {
  return [...new Set(sentences)];
}

/** What a server reports about itself; null: it does not say. */
export interface ServerFacts {
  /** WAITAOF exists from Redis 7.2 and Valkey on. */
  readonly knowsWaitAof: boolean;
  readonly evictionPolicy: string | null;
  readonly appendOnly: boolean;
  /** `always`, `everysec` or `no`. */
  readonly appendFsync: string | null;
  /** False: nothing is flushed during a rewrite or snapshot. */
  readonly alwaysFlushes: boolean;
  /** When it takes snapshots; '' means never. */
  readonly snapshots: string | null;
  readonly replicas: number;
  /** For a node of a Cluster: it serves nothing while any slot is unavailable. */
  readonly requiresFullCoverage: boolean | null;
}

/** Uses INFO, and CONFIG for the rest; managed servers may forbid CONFIG. */
async function readServerFacts(redis: Redis): Promise<ServerFacts> {
  const [info, fsync, pausesFlush, save, coverage] = await Promise.all([
    redis.info(),
    readSetting(redis, 'appendfsync'),
    readSetting(redis, 'no-appendfsync-on-rewrite'),
    readSetting(redis, 'save'),
    readSetting(redis, 'cluster-require-full-coverage'),
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
    requiresFullCoverage: coverage === null ? null : coverage === 'yes',
  };
}

async function readSetting(redis: Redis, name: string): Promise<string | null> {
  const answer = await redis.config('GET', name).catch(() => []);
  return Array.isArray(answer) && typeof answer[1] === 'string' ? answer[1] : null;
}
