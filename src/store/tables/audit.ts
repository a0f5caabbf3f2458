import { auditText, linkAfter, NO_LINK } from '../audit-chain.ts';
import type { AuditChain, AuditEntry, KeptAuditEntry, NewAuditEntry } from '../store.ts';
import type { AuditKey, ChainRow, Tables, Transaction } from './tables.ts';

const HASH = 'sha256';
/** How many entries that are too old each append removes: more than one, so that it catches up. */
const AT_ONCE = 4;
const PAGE = 500;

const FIRST: ChainRow = {
  at: 0,
  head: { seq: 0, link: NO_LINK },
  anchor: { seq: 0, link: NO_LINK },
};

/** Gives the id of the last entry, '' without any. `record` stands in where an entry names none. */
export function appendAudit(
  transaction: Transaction,
  entries: readonly NewAuditEntry[],
  record: string | null = null,
): string {
  if (entries.length === 0) return '';
  const { tables, now, signAudit } = transaction;
  const before = tables.chain.get('audit') ?? FIRST;
  let { head } = before;
  const at = Math.max(now, before.at);
  for (const entry of entries) {
    const seq = head.seq + 1;
    const text = auditText(entry, record, signAudit);
    head = { seq, link: linkAfter(HASH, head.link, { at, seq }, text) };
    tables.audit.putSync([at, seq], { text, link: head.link });
  }
  tables.chain.putSync('audit', { at, head, anchor: removeOld(transaction, before.anchor) });
  return entryId([at, head.seq]);
}

/** Gives the last one that is gone. */
function removeOld(
  { tables: { audit }, now, auditMs }: Transaction,
  anchor: ChainRow['anchor'],
): ChainRow['anchor'] {
  let last = anchor;
  for (const { key, value } of [...audit.getRange({ end: [now - auditMs, 0], limit: AT_ONCE })]) {
    audit.removeSync(key);
    last = { seq: key[1], link: value.link };
  }
  return last;
}

function entryId(key: Readonly<AuditKey>): string {
  return `0-${key.join('-')}`;
}

/** All entries since `sinceAt`, oldest first. */
export function* readAudit(tables: Tables, sinceAt: number): Generator<AuditEntry> {
  for (const { at, seq, text } of keptAudit(tables, sinceAt)) {
    const [action, record, actor, facts] = text;
    const entry = { action, record: record || null, actor, facts: JSON.parse(facts) };
    yield { ...entry, id: entryId([at, seq]), at };
  }
}

function* keptAudit({ audit }: Tables, sinceAt: number): Generator<KeptAuditEntry> {
  let start: AuditKey = [sinceAt, 0];
  for (;;) {
    const page = [...audit.getRange({ start, limit: PAGE })];
    for (const { key, value } of page) yield { at: key[0], seq: key[1], ...value };
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    start = [last.key[0], last.key[1] + 1];
  }
}

/** `Store.auditChains`. */
export function auditChains(tables: Tables): readonly AuditChain[] {
  const { head, anchor } = tables.chain.get('audit') ?? FIRST;
  const entries = async function* () {
    yield* keptAudit(tables, 0);
  };
  return [{ shard: 0, hash: HASH, head, anchor, entries }];
}
