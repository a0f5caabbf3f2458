import { KNOWN_MS, type Rate } from '../store.ts';
import type { Reading, SmallRow, Tables, Transaction } from './tables.ts';

export function getSmall(reading: Reading, key: string): string | undefined {
  return liveSmall(reading, userKey(key))?.value;
}

export function putSmall(
  { tables, now }: Transaction,
  key: string,
  value: string,
  lifetimeMs: number,
): void {
  writeSmall(tables, userKey(key), { value, expiresAt: now + lifetimeMs });
}

/** Replaces the value only if it is `from`; undefined: no value. */
export function replaceSmall(
  transaction: Transaction,
  key: string,
  change: { readonly from: string | undefined; readonly to: string },
  lifetimeMs: number,
): boolean {
  if (getSmall(transaction, key) !== change.from) return false;
  putSmall(transaction, key, change.to, lifetimeMs);
  return true;
}

export function takeSmall(transaction: Transaction, key: string): string | undefined {
  const value = getSmall(transaction, key);
  removeSmall(transaction.tables, userKey(key));
  return value;
}

/** Reserves the next slot (generic cell rate algorithm); returns in how many ms it comes. */
export function takeSlot(transaction: Transaction, name: string, rate: Rate): number {
  const { tables, now } = transaction;
  const opensAt = liveSmall(transaction, pauseKey(name))?.expiresAt ?? now;
  const usedUntil = Math.max(opensAt, liveSmall(transaction, paceKey(name))?.expiresAt ?? now);
  const { intervalMs, burst, onlyNow = false, joinsLine = false } = rate;
  const lineEndsAt = joinsLine ? (liveSmall(transaction, lineKey(name))?.expiresAt ?? now) : now;
  const slotAt = Math.max(opensAt, usedUntil - (burst - 1) * intervalMs, lineEndsAt);
  if (!onlyNow || slotAt <= now) {
    writeSmall(tables, paceKey(name), { value: '', expiresAt: usedUntil + intervalMs });
  } else if (joinsLine) {
    writeSmall(tables, lineKey(name), { value: '', expiresAt: slotAt + intervalMs });
  }
  return Math.ceil(slotAt - now);
}

export function pauseSlots(transaction: Transaction, name: string, forMs: number): void {
  const { tables, now } = transaction;
  const pause = liveSmall(transaction, pauseKey(name));
  if (pause !== undefined && pause.expiresAt >= now + forMs) return;
  writeSmall(tables, pauseKey(name), { value: '', expiresAt: now + forMs });
}

/** Notes that a signal arrived; false if that is known. */
export function noteSignal(transaction: Transaction, record: string, signal: string): boolean {
  const key = `s:${record}:${signal}`;
  if (liveSmall(transaction, key) !== undefined) return false;
  writeSmall(transaction.tables, key, { value: '', expiresAt: transaction.now + KNOWN_MS });
  return true;
}

function liveSmall({ tables, now }: Reading, key: string): SmallRow | undefined {
  const row = tables.small.get(key);
  return row !== undefined && row.expiresAt > now ? row : undefined;
}

function writeSmall(tables: Tables, key: string, row: SmallRow): void {
  removeSmall(tables, key);
  tables.small.putSync(key, row);
  tables.expiry.putSync([row.expiresAt, 'small', key], true);
}

function removeSmall(tables: Tables, key: string): void {
  const row = tables.small.get(key);
  if (row === undefined) return;
  tables.expiry.removeSync([row.expiresAt, 'small', key]);
  tables.small.removeSync(key);
}

function userKey(key: string): string {
  return `k:${key}`;
}

function paceKey(name: string): string {
  return `pace:${name}`;
}

function lineKey(name: string): string {
  return `line:${name}`;
}

function pauseKey(name: string): string {
  return `pause:${name}`;
}
