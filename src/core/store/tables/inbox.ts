import type { Signal } from '../store.ts';
import type { Tables } from './tables.ts';

/** The inboxes of records. Each signal is a row of its own, so adding one costs the same however many there are. */

/** Oldest first. */
export function inboxOf(tables: Tables, record: string): readonly Signal[] {
  return rowsOf(tables, record).map(({ value }) => value);
}

export function waits({ waiting }: Tables, record: string, signal: string): boolean {
  return waiting.get([record, signal]) !== undefined;
}

/** Only if it is not already there. */
export function putSignal({ inboxes, waiting }: Tables, record: string, signal: Signal): void {
  const number = (waiting.get([record, LAST]) ?? 0) + 1;
  inboxes.putSync([record, number], signal);
  waiting.putSync([record, signal.id], number);
  waiting.putSync([record, LAST], number);
}

/** Returns the remaining signals. */
export function removeSignals(
  tables: Tables,
  record: string,
  signals: readonly string[],
): readonly Signal[] {
  const { inboxes, waiting } = tables;
  const handled = new Set(signals);
  const rows = rowsOf(tables, record);
  const left: Signal[] = [];
  for (const { key, value } of rows) {
    if (handled.has(value.id)) {
      inboxes.removeSync(key);
      waiting.removeSync([record, value.id]);
    } else left.push(value);
  }
  if (left.length === 0 && rows.length > 0) waiting.removeSync([record, LAST]);
  return left;
}

export function clearInbox(tables: Tables, record: string): void {
  const ids = rowsOf(tables, record).map(({ value }) => value.id);
  removeSignals(tables, record, ids);
}

function rowsOf({ inboxes }: Tables, record: string) {
  const range = { start: [record], end: [record, Number.POSITIVE_INFINITY] };
  return [...inboxes.getRange({ ...range, limit: Number.MAX_SAFE_INTEGER })];
}

/** Instead of a signal's id: the last number used. */
const LAST = '';
