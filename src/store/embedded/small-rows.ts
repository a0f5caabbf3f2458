import type { Rate } from '../store.ts';
import type { SmallRow, Tables } from './tables.ts';

/** All of these but `getSmall` run inside a write transaction. */

export function getSmall(tables: Tables, key: string, now: number): SmallRow | undefined {
  const row = tables.small.get(key);
  return row !== undefined && row.expiresAt > now ? row : undefined;
}

export function putSmall(tables: Tables, key: string, row: SmallRow): void {
  removeSmall(tables, key);
  tables.small.putSync(key, row);
  tables.expiry.putSync([row.expiresAt, 'small', key], true);
}

export function removeSmall(tables: Tables, key: string): void {
  const row = tables.small.get(key);
  if (row === undefined) return;
  tables.expiry.removeSync([row.expiresAt, 'small', key]);
  tables.small.removeSync(key);
}

/** Takes the next turn (generic cell rate algorithm); gives in how many ms it comes. */
export function takeTurn(tables: Tables, name: string, rate: Rate, now: number): number {
  const opensAt = getSmall(tables, pauseKey(name), now)?.expiresAt ?? now;
  const usedUntil = Math.max(opensAt, getSmall(tables, paceKey(name), now)?.expiresAt ?? now);
  const turnAt = Math.max(opensAt, usedUntil - (rate.burst - 1) * rate.intervalMs);
  const isTaken = rate.onlyNow !== true || turnAt <= now;
  if (isTaken) {
    putSmall(tables, paceKey(name), { value: '', expiresAt: usedUntil + rate.intervalMs });
  }
  return Math.ceil(turnAt - now);
}

export function pauseTurns(tables: Tables, name: string, until: number, now: number): void {
  const pause = getSmall(tables, pauseKey(name), now);
  if (pause !== undefined && pause.expiresAt >= until) return;
  putSmall(tables, pauseKey(name), { value: '', expiresAt: until });
}

export function userKey(key: string): string {
  return `k:${key}`;
}

/** That a signal came. */
export function knownKey(record: string, signal: string): string {
  return `s:${record}:${signal}`;
}

function paceKey(name: string): string {
  return `pace:${name}`;
}

function pauseKey(name: string): string {
  return `pause:${name}`;
}
