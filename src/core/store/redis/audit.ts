import * as z from 'zod';
import { joined } from '../../lib/joined.ts';
import { auditText, NO_LINK } from '../audit-chain.ts';
import { CHECKPOINT, checkpointName } from '../checkpoint.ts';
import { parseRecordId, shardOf } from '../record-id.ts';
import {
  type AuditChain,
  type AuditEntry,
  type AuditPlace,
  type KeptAuditEntry,
  type NewAuditEntry,
  type Store,
  StoreError,
} from '../store.ts';
import type { RedisNeeds } from './redis-needs.ts';

const PAGE = 500;

const Facts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));

/** The arguments for `appendAudit` in the scripts. `record` is the default for entries without one. */
export function auditArguments(
  { signAudit, checkpoints }: RedisNeeds,
  shard: number,
  entries: readonly NewAuditEntry[],
  record: string | null = null,
): readonly string[] {
  const signing = { sign: signAudit, checkpoint: checkpoints.get(shard) };
  return joined(entries.map((entry) => auditText(entry, record, signing)));
}

/** `Store.writeAudit`; except for checkpoints, in the shard of the record or, without one, of the actor. */
export async function writeAudit(
  needs: RedisNeeds,
  entry: NewAuditEntry,
  { checkpointOf }: Parameters<Store['writeAudit']>[1] = {},
): Promise<string> {
  const { connection, keys, shards, checkpoints } = needs;
  const ofRecord = entry.record === null ? undefined : parseRecordId(entry.record, shards);
  const shard = checkpointOf?.shard ?? ofRecord?.shard ?? shardOf(entry.actor, shards);
  const fields = auditArguments(needs, shard, [entry]);
  const part = checkpointOf === undefined ? [] : [idOf(checkpointOf), checkpointOf.link];
  const args = [...fields, ...part];
  const answer = await connection.write('audit', bothKeys(needs, shard), args, keys.marker(shard));
  if (answer[0] === 'changed') {
    throw new StoreError('unavailable', 'audit: the entry that the checkpoint covers is gone');
  }
  const id = String(answer[2]);
  if (checkpointOf !== undefined) {
    checkpoints.set(shard, checkpointName(placeIn(id).seq, fields.at(-1) ?? ''));
  }
  return entryId(shard, id);
}

/** `Store.removeAudit`. */
export async function removeAudit(
  needs: RedisNeeds,
  shard: number,
  upTo: AuditPlace,
): Promise<boolean> {
  const keys = bothKeys(needs, shard);
  const [, , more] = await needs.connection.run('remove-audit', keys, [idOf(upTo)]);
  return more === 1;
}

function bothKeys({ keys }: RedisNeeds, shard: number): readonly string[] {
  return [keys.audit(shard), keys.auditChain(shard)];
}

function idOf({ at, seq }: AuditPlace): string {
  return `${at}-${seq}`;
}

function placeIn(id: string): AuditPlace {
  const [at = 0, seq = 0] = id.split('-').map(Number);
  return { at, seq };
}

/** All entries of all shards since `sinceAt`, oldest first, without checkpoints. */
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
  for await (const { id, at, text } of readKept(needs, shard, { from: String(sinceAt) })) {
    const [action, record, actor, facts] = text;
    if (action === CHECKPOINT) continue;
    const entry = { action, record: record || null, actor };
    yield { ...entry, facts: Facts.parse(JSON.parse(facts)), id: entryId(shard, id), at };
  }
}

async function* readKept(
  { connection, keys }: RedisNeeds,
  shard: number,
  { from: first, page: pageSize = PAGE }: { readonly from: string; readonly page?: number },
): AsyncGenerator<KeptAuditEntry & { readonly id: string }> {
  let from = first;
  for (;;) {
    const page = await connection.send('readAudit', keys.audit(shard), (redis) =>
      redis.xrange(keys.audit(shard), from, '+', 'COUNT', pageSize),
    );
    for (const [id, fields] of page) {
      const [, action = '', , record = '', , actor = '', , facts = '', , mac = '', , link = ''] =
        fields;
      const text = [action, record, actor, facts, mac] as const;
      yield { id, ...placeIn(id), text, link };
    }
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    from = `(${last[0]}`;
  }
}

/** `Store.auditChain`. */
export async function auditChain(needs: RedisNeeds, shard: number): Promise<AuditChain> {
  const { connection, keys } = needs;
  const key = keys.auditChain(shard);
  const text = await connection.send('auditChain', key, (redis) => redis.get(key));
  // Written by `keepChain` in `scripts/audit-chain.lua`.
  const [seq = '0', link = NO_LINK, lastAt = '0', anchorSeq = '0', anchorLink = NO_LINK] =
    text?.split(' ') ?? [];
  return {
    shard,
    hash: 'sha1',
    head: { seq: Number(seq), link },
    anchor: { seq: Number(anchorSeq), link: anchorLink },
    lastAt: Number(lastAt),
    now: Math.max(connection.now(key), Number(lastAt)),
    entries: ({ from = { at: 0, seq: 0 }, ...options } = {}) =>
      readKept(needs, shard, { ...options, from: idOf(from) }),
    lastBefore: (at) => lastBefore(needs, shard, at),
  };
}

async function lastBefore(
  { connection, keys }: RedisNeeds,
  shard: number,
  at: number,
): Promise<AuditPlace | undefined> {
  const key = keys.audit(shard);
  const [last] = await connection.send('auditChain', key, (redis) =>
    redis.xrevrange(key, Math.max(0, at - 1), '-', 'COUNT', 1),
  );
  return last && placeIn(last[0]);
}

function entryId(shard: number, id: string): string {
  return `${shard}-${id}`;
}
