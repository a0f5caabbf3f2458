import { formatRecordId, randomName } from '../record-id.ts';
import type { Created, NewRecord, StoredRecord } from '../store.ts';
import { appendAudit } from './audit-rows.ts';
import { hold, type LeaseNeeds } from './leases.ts';
import { listsAfter, liveRow, removeRow, storedRecord, writeRow } from './record-rows.ts';
import type { Tables } from './tables.ts';

/** `Store.create`, inside a write transaction. */
export function createRecord(needs: LeaseNeeds, record: NewRecord, held: boolean): Created {
  const { tables, now } = needs;
  const { kind, data, lane, place, uniqueKey = null, lists = [], audit = [] } = record;
  const id = formatRecordId({ shard: 0, member: randomName(needs.randomBytes) });
  if (uniqueKey !== null) {
    const holder = holderOf(tables, uniqueKey, now);
    if (holder !== undefined) return { kind: 'exists', record: holder };
    tables.unique.putSync(uniqueKey, id);
  }
  const entries = audit.map((entry) => ({ ...entry, record: entry.record ?? id }));
  appendAudit(tables, entries, now, needs.auditMs);
  const row = {
    ...{ kind, data, lane, place, uniqueKey, dueAt: now + record.dueInMs },
    ...{ claims: 0, token: null, leaseEndsAt: 0, expiresAt: null },
    lists: listsAfter({}, lists, now),
  };
  if (held) return { kind: 'created', id, now, held: hold(needs, id, undefined, row) };
  writeRow(tables, id, undefined, row);
  return { kind: 'created', id, now };
}

/** The living record that holds the key; one that has ended is cleared away. */
function holderOf(tables: Tables, uniqueKey: string, now: number): StoredRecord | undefined {
  const id = tables.unique.get(uniqueKey);
  const row = id === undefined ? undefined : tables.records.get(id);
  if (id === undefined || row === undefined) return undefined;
  if (liveRow(tables, id, now)) return storedRecord(id, row);
  removeRow(tables, id, row);
  return undefined;
}
