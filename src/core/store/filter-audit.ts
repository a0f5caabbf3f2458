import type { AuditEntry, Store } from './store.ts';

/** Filters entries for `Store.readAudit`. */
export async function* filterAudit(
  entries: Iterable<AuditEntry> | AsyncIterable<AuditEntry>,
  { record, limit = Number.POSITIVE_INFINITY }: Parameters<Store['readAudit']>[0],
): AsyncGenerator<AuditEntry> {
  let left = limit;
  for await (const entry of entries) {
    if (left <= 0) return;
    if (record !== undefined && entry.record !== record) continue;
    left -= 1;
    yield entry;
  }
}
