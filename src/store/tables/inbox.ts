import type { Signal } from '../store.ts';
import type { Tables } from './tables.ts';

/**
 * The signals that wait for whoever holds a record. Each is a row of its own: what one more costs does not
 * depend on how many wait.
 */

/** Oldest first. */
export function inboxOf(tables: Tables, record: string): readonly Signal[] {
  const range = { start: [record], end: [record, Number.POSITIVE_INFINITY] };
  const rows = tables.inboxes.getRange({ ...range, limit: Number.MAX_SAFE_INTEGER });
  return [...rows].map(({ value }) => value);
}

export function waits({ waiting }: Tables, record: string, signal: string): boolean {
  return waiting.get([record, signal]) !== undefined;
}

/** Only of one that does not wait yet. */
export function putSignal({ inboxes, waiting }: Tables, record: string, signal: Signal): void {
  const number = (waiting.get([record, LAST]) ?? 0) + 1;
  inboxes.putSync([record, number], signal);
  waiting.putSync([record, signal.id], number);
  waiting.putSync([record, LAST], number);
}

/** Gives what is left. */
export function removeSignals(
  tables: Tables,
  record: string,
  signals: readonly string[],
): readonly Signal[] {
  const { inboxes, waiting } = tables;
  for (const signal of signals) {
    const number = waiting.get([record, signal]);
    if (number === undefined) continue;
    inboxes.removeSync([record, number]);
    waiting.removeSync([record, signal]);
  }
  const left = inboxOf(tables, record);
  if (left.length === 0) waiting.removeSync([record, LAST]);
  return left;
}

export function clearInbox(tables: Tables, record: string): void {
  const ids = inboxOf(tables, record).map(({ id }) => id);
  removeSignals(tables, record, ids);
}

/** In place of a signal's id: the number that was given last. */
const LAST = '';
