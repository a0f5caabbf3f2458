import { z } from 'zod';
import { joined } from '../../lib/joined.ts';
import { auditText, NO_LINK, type SignAudit } from '../audit-chain.ts';
import { parseRecordId, shardOf } from '../record-id.ts';
import type { AuditChain, AuditEntry, KeptAuditEntry, NewAuditEntry } from '../store.ts';
import type { RedisNeeds } from './redis-needs.ts';

const PAGE = 500;

const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The arguments of `appendAudit` in the scripts. `record` stands in where an entry names no record. */
export function auditArguments(
  entries: readonly NewAuditEntry[],
  record: string | null,
  sign: SignAudit,
): readonly string[] {
  return joined(entries.map((entry) => auditText(entry, record, sign)));
}

/** `Store.writeAudit`, in the shard of the record, or of the actor where there is none. */
export async function writeAudit(
  { connection, keys, shards, signAudit }: RedisNeeds,
  entry: NewAuditEntry,
): Promise<string> {
  const ofRecord = entry.record === null ? undefined : parseRecordId(entry.record, shards);
  const shard = ofRecord?.shard ?? shardOf(entry.actor, shards);
  const fields = auditArguments([entry], null, signAudit);
  const both = [keys.audit(shard), keys.auditChain(shard)];
  const [, , id] = await connection.write('audit', both, fields, keys.marker(shard));
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
  needs: RedisNeeds,
  shard: number,
  sinceAt: number,
): AsyncGenerator<AuditEntry> {
  for await (const { id, at, text } of readKept(needs, shard, sinceAt)) {
    const [action, record, actor, facts] = text;
    const entry = { action, record: record || null, actor };
    yield { ...entry, facts: Facts.parse(JSON.parse(facts)), id: entryId(shard, id), at };
  }
}

async function* readKept(
  { connection, keys }: RedisNeeds,
  shard: number,
  sinceAt: number,
): AsyncGenerator<KeptAuditEntry & { readonly id: string }> {
  let from = String(sinceAt);
  for (;;) {
    const page = await connection.send('readAudit', keys.audit(shard), (redis) =>
      redis.xrange(keys.audit(shard), from, '+', 'COUNT', PAGE),
    );
    for (const [id, fields] of page) {
      const [, action = '', , record = '', , actor = '', , facts = '', , mac = '', , link = ''] =
        fields;
      const [at, seq] = id.split('-').map(Number);
      const text = [action, record, actor, facts, mac] as const;
      yield { id, at: at ?? 0, seq: seq ?? 0, text, link };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    from = `(${last[0]}`;
  }
}

/** `Store.auditChains`. */
export async function auditChains(needs: RedisNeeds): Promise<readonly AuditChain[]> {
  const { connection, keys, shards } = needs;
  return Promise.all(
    Array.from({ length: shards }, async (_, shard) => {
      const key = keys.auditChain(shard);
      const text = await connection.send('auditChains', key, (redis) => redis.get(key));
      // As `keepChain` in `scripts/audit-chain.lua` writes it.
      const [seq = '0', link = NO_LINK, , anchorSeq = '0', anchorLink = NO_LINK] =
        text?.split(' ') ?? [];
      return {
        shard,
        hash: 'sha1',
        head: { seq: Number(seq), link },
        anchor: { seq: Number(anchorSeq), link: anchorLink },
        entries: () => readKept(needs, shard, 0),
      } as const;
    }),
  );
}

function entryId(shard: number, id: string): string {
  return `${shard}-${id}`;
}
