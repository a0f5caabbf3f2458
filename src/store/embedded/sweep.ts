import { removeRow } from './record-rows.ts';
import type { Tables } from './tables.ts';

/** How much of what has come to its end each write clears away. */
const AT_ONCE = 8;

/** Runs inside a write transaction. Reading never depends on it. */
export function sweep(tables: Tables, now: number): void {
  const ended = [...tables.expiry.getKeys({ end: [now, 'small', '\uffff'], limit: AT_ONCE })];
  for (const [expiresAt, table, key] of ended) {
    tables.expiry.removeSync([expiresAt, table, key]);
    if (table === 'small') {
      tables.small.removeSync(key);
    } else {
      const row = tables.records.get(key);
      if (row !== undefined) removeRow(tables, key, row);
    }
  }
}
