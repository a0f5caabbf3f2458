import type { RedisConfirm } from '../../config/config.ts';
import type { Confirm } from './confirmation.ts';
import type { ServerFacts } from './server-facts.ts';

/** How writes are confirmed, and what can be lost, a sentence each: what, and what to set. */
export interface Judgement {
  /** null: a write counts when the server has answered. */
  readonly confirm: Confirm | null;
  readonly dangers: readonly string[];
  /** What cannot be known here. Nothing is refused for it: on a managed server nobody could mend it. */
  readonly unknowns: readonly string[];
}

/** `servers`: all that take writes. */
export function judgeServers(servers: readonly ServerFacts[], asked: RedisConfirm): Judgement {
  const confirm = chooseConfirm(servers, asked);
  const dangers = servers.flatMap((server) => [
    ...judgeMemory(server),
    ...judgeDisk(server),
    ...judgeConfirm(server, asked, confirm),
  ]);
  return { confirm, dangers: unique(dangers), unknowns: unique(servers.flatMap(unknownsOf)) };
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
  if (confirm !== null && confirm !== 'aof')
    return judgeReplicas(server.replicas, confirm.replicas);
  if (asked === 'aof') return judgeFile(server);
  if (asked === 'off' || server.knowsWaitAof || !server.appendOnly) return [];
  // Flushed before each answer: the answer is the confirmation.
  if (server.appendFsync === 'always') return [];
  return [
    'This Redis cannot say when a click is on its disk (Redis 7.2 can): the last second can be lost when the machine crashes; set appendfsync always, or REDIS_CONFIRM=off to accept it.',
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

function unknownsOf({ appendOnly, snapshots, evictionPolicy }: ServerFacts): string[] {
  const unknowns: string[] = [];
  if (evictionPolicy === null) {
    unknowns.push(
      'Redis does not tell its maxmemory-policy: make sure that it is noeviction, or records can vanish when its memory is full.',
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
