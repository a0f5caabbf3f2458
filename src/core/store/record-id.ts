import type { Random } from '../lib/random.ts';

/** The parts of a record's id: its shard, and its name there. */
export interface RecordId {
  readonly shard: number;
  readonly member: string;
}

const RECORD_ID = /^(\d{1,2})-([\w-]{16})$/;

/**
 * 16 characters of base64url, nearly 96 random bits, for names of records and for lease tokens. Never starts with a
 * dash, because people type the beginning of a name where a dash would start an option.
 */
export function randomName(random: Random): string {
  return random.bytes(12).toString('base64url').replace(/^-/, 'A');
}

export function formatRecordId({ shard, member }: RecordId): string {
  return `${shard}-${member}`;
}

/** undefined for a text that is not an id of a store with this many shards: ids come back from outside. */
export function parseRecordId(id: string, shards: number): RecordId | undefined {
  const [, shard, member] = RECORD_ID.exec(id) ?? [];
  if (shard === undefined || member === undefined || Number(shard) >= shards) return undefined;
  return { shard: Number(shard), member };
}

/** The shard of a name, 0 to `shards` - 1 (FNV-1a): must never change. */
export function shardOf(name: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % shards;
}
