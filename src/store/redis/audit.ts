import { z } from 'zod';
import { joined } from '../../lib/joined.ts';
import { parseRecordId, shardOf } from '../record-id.ts';
import type { AuditEntry, NewAuditEntry } from '../store.ts';
import type { RedisNeeds } from './redis-needs.ts';

const PAGE = 500;

const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The arguments of `appendAudit` in the scripts. `record` stands in where an entry names no record. */
export function auditArguments(
  entries: readonly NewAuditEntry[],
  record: string | null,
): readonly string[] {
  return joined(
    entries.map((entry) => [
      entry.action,
      entry.record ?? record ?? '',
      entry.actor,
      JSON.stringify(entry.facts),
    ]),
  );
}

/** `Store.writeAudit`, in the shard of the record, or of the actor where there is none. */
export async function writeAudit(
  { connection, keys, shards }: RedisNeeds,
  entry: NewAuditEntry,
): Promise<string> {
  const ofRecord = entry.record === null ? undefined : parseRecordId(entry.record, shards);
  const shard = ofRecord?.shard ?? shardOf(entry.actor, shards);
  const fields = auditArguments([entry], null);
  const [, , id] = await connection.write('audit', [keys.audit(shard)], fields, keys.marker(shard));
  return entryId(shard, String(id));
}

/** All entries since `sinceAt`, oldest first, over all shards. */
export async function* readAudit(needs: RedisNeeds, sinceAt: number): AsyncGenerator<AuditEntry> {
  const readers = await Promise.all(
    Array.from({ length: needs.shards }, async (_, shard) => {
      const entries = readShard(needs, shard, sinceAt);
      return { entries, head: await entries.next() };
    }),
  );
  for (;;) {
    const open = readers.flatMap((reader) =>
      reader.head.done ? [] : [{ reader, entry: reader.head.value }],
    );
    const [first, ...others] = open;
    if (first === undefined) return;
    const next = others.reduce((a, b) => (b.entry.at < a.entry.at ? b : a), first);
    yield next.entry;
    next.reader.head = await next.reader.entries.next();
  }
}

async function* readShard(
  { connection, keys }: RedisNeeds,
  shard: number,
  sinceAt: number,
): AsyncGenerator<AuditEntry> {
  let from = String(sinceAt);
  for (;;) {
    const page = await connection.send('readAudit', keys.audit(shard), (redis) =>
      redis.xrange(keys.audit(shard), from, '+', 'COUNT', PAGE),
    );
    for (const [id, fields] of page) yield readEntry(shard, id, fields);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = `(${last[0]}`;
  }
}

function readEntry(shard: number, id: string, fields: readonly string[]): AuditEntry {
  return {
    id: entryId(shard, id),
    at: Number(id.split('-')[0]),
    action: fields[1] ?? '',
    record: fields[3] || null,
    actor: fields[5] ?? '',
    facts: Facts.parse(JSON.parse(fields[7] ?? '{}')),
  };
}

function entryId(shard: number, id: string): string {
  return `${shard}-${id}`;
}
