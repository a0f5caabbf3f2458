import type { AuditEntry, NewAuditEntry } from '../store.ts';
import type { Tables } from './tables.ts';

/** How many entries that are too old each append removes: more than one, so that it catches up. */
const AT_ONCE = 4;
const PAGE = 500;

/** Runs inside a write transaction. Gives the id of the last entry, '' without any. */
export function appendAudit(
  tables: Tables,
  entries: readonly NewAuditEntry[],
  now: number,
  auditMs: number,
): string {
  if (entries.length === 0) return '';
  const [last] = [...tables.audit.getKeys({ reverse: true, limit: 1 })];
  let [at, number] = last !== undefined && last[0] >= now ? last : [now, -1];
  for (const { action, record, actor, facts } of entries) {
    number += 1;
    tables.audit.putSync([at, number], { action, record, actor, facts });
  }
  for (const key of [...tables.audit.getKeys({ end: [now - auditMs, 0], limit: AT_ONCE })]) {
    tables.audit.removeSync(key);
  }
  return entryId([at, number]);
}

function entryId(key: readonly [at: number, number: number]): string {
  return `0-${key.join('-')}`;
}

/** All entries since `sinceAt`, oldest first. */
export function* readAudit(tables: Tables, sinceAt: number): Generator<AuditEntry> {
  let start: [number, number] = [sinceAt, 0];
  for (;;) {
    const page = [...tables.audit.getRange({ start, limit: PAGE })];
    for (const { key, value } of page) yield { ...value, id: entryId(key), at: key[0] };
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    start = [last.key[0], last.key[1] + 1];
  }
}
