import type { AuditEntry, NewAuditEntry } from '../store.ts';
import type { AuditKey, Tables, Transaction } from './tables.ts';

/** How many entries that are too old each append removes: more than one, so that it catches up. */
const AT_ONCE = 4;
const PAGE = 500;

/** Gives the id of the last entry, '' without any. */
export function appendAudit(
  { tables: { audit }, now, auditMs }: Transaction,
  entries: readonly NewAuditEntry[],
): string {
  if (entries.length === 0) return '';
  const [last] = [...audit.getKeys({ reverse: true, limit: 1 })];
  let [at, number] = last !== undefined && last[0] >= now ? last : [now, -1];
  for (const { action, record, actor, facts } of entries) {
    number += 1;
    audit.putSync([at, number], { action, record, actor, facts });
  }
  for (const key of [...audit.getKeys({ end: [now - auditMs, 0], limit: AT_ONCE })]) {
    audit.removeSync(key);
  }
  return entryId([at, number]);
}

function entryId(key: Readonly<AuditKey>): string {
  return `0-${key.join('-')}`;
}

/** All entries since `sinceAt`, oldest first. */
export function* readAudit({ audit }: Tables, sinceAt: number): Generator<AuditEntry> {
  let start: AuditKey = [sinceAt, 0];
  for (;;) {
    const page = [...audit.getRange({ start, limit: PAGE })];
    for (const { key, value } of page) yield { ...value, id: entryId(key), at: key[0] };
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    start = [last.key[0], last.key[1] + 1];
  }
}
