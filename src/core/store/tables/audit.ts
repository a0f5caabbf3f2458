import { auditText, linkAfter, NO_LINK } from '../audit-chain.ts';
import { CHECKPOINT, checkpointName } from '../checkpoint.ts';
import {
  type AuditChain,
  type AuditEntry,
  type AuditPlace,
  type KeptAuditEntry,
  type NewAuditEntry,
  type SealedPart,
  StoreError,
} from '../store.ts';
import type { AuditKey, ChainRow, Reading, Tables, Transaction } from './tables.ts';

const HASH = 'sha256';
/** The only shard. */
const SHARD = 0;
/** How many entries one call of `removeAudit` removes. */
const REMOVED_AT_ONCE = 1_000;
const PAGE = 500;

const FIRST: ChainRow = {
  at: 0,
  head: { seq: 0, link: NO_LINK },
  anchor: { seq: 0, link: NO_LINK },
};

interface Appended {
  readonly id: string;
  /** Its name in other entries, if it is a checkpoint. */
  readonly name: string;
}

/** Returns the last one. `record` is the default for entries without one. */
export function appendAudit(
  transaction: Transaction,
  entries: readonly NewAuditEntry[],
  record: string | null = null,
): Appended | undefined {
  if (entries.length === 0) return undefined;
  const { tables, now, signAudit, checkpoints } = transaction;
  const before = tables.chain.get('audit') ?? FIRST;
  const signing = { sign: signAudit, checkpoint: checkpoints.get(SHARD) };
  let { head } = before;
  let last: Appended | undefined;
  const at = Math.max(now, before.at);
  for (const entry of entries) {
    const seq = head.seq + 1;
    const text = auditText(entry, record, signing);
    head = { seq, link: linkAfter(HASH, head.link, { at, seq }, text) };
    tables.audit.putSync([at, seq], { text, link: head.link });
    last = { id: entryId([at, seq]), name: checkpointName(seq, text[4]) };
  }
  tables.chain.putSync('audit', { ...before, at, head });
  return last;
}

/** `Store.writeAudit`. */
export function writeAudit(
  transaction: Transaction,
  entry: NewAuditEntry,
  part: SealedPart | undefined,
): Appended {
  if (part !== undefined && !isThere(transaction.tables, part)) {
    throw new StoreError('unavailable', 'audit: the entry that the checkpoint covers is gone');
  }
  const appended = appendAudit(transaction, [entry]);
  if (appended === undefined) throw new Error('one entry was given');
  return appended;
}

function isThere({ audit, chain }: Tables, { at, seq, link }: SealedPart): boolean {
  const found = audit.get([at, seq]);
  if (found !== undefined) return found.link === link;
  const { anchor } = chain.get('audit') ?? FIRST;
  return anchor.seq === seq && anchor.link === link;
}

/** `Store.removeAudit`. */
export function removeAudit({ tables }: Transaction, { at, seq }: AuditPlace): boolean {
  const { audit, chain } = tables;
  const old = [...audit.getRange({ end: [at, seq + 1], limit: REMOVED_AT_ONCE })];
  for (const { key } of old) audit.removeSync(key);
  const last = old.at(-1);
  if (last !== undefined) {
    const anchor = { seq: last.key[1], link: last.value.link };
    chain.putSync('audit', { ...(chain.get('audit') ?? FIRST), anchor });
  }
  return old.length === REMOVED_AT_ONCE;
}

function entryId(key: Readonly<AuditKey>): string {
  return `${SHARD}-${key.join('-')}`;
}

/** All entries since `sinceAt`, oldest first, without checkpoints. */
export function* readAudit(tables: Tables, sinceAt: number): Generator<AuditEntry> {
  for (const { at, seq, text } of keptAudit(tables, { at: sinceAt, seq: 0 })) {
    const [action, record, actor, facts] = text;
    if (action === CHECKPOINT) continue;
    const entry = { action, record: record || null, actor, facts: JSON.parse(facts) };
    yield { ...entry, id: entryId([at, seq]), at };
  }
}

function* keptAudit(
  { audit }: Tables,
  from: AuditPlace,
  pageSize = PAGE,
): Generator<KeptAuditEntry> {
  let start: AuditKey = [from.at, from.seq];
  for (;;) {
    const page = [...audit.getRange({ start, limit: pageSize })];
    for (const { key, value } of page) yield { at: key[0], seq: key[1], ...value };
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    start = [last.key[0], last.key[1] + 1];
  }
}

/** `Store.auditChain`. */
export function auditChain({ tables, now }: Reading): AuditChain {
  const { at: lastAt, head, anchor } = tables.chain.get('audit') ?? FIRST;
  return {
    ...{ shard: SHARD, hash: HASH, head, lastAt, anchor },
    now: Math.max(now, lastAt),
    async *entries({ from = { at: 0, seq: 0 }, page } = {}) {
      yield* keptAudit(tables, from, page);
    },
    async lastBefore(at) {
      const [last] = tables.audit.getKeys({ start: [at, 0], limit: 1, reverse: true });
      return last && { at: last[0], seq: last[1] };
    },
  };
}
