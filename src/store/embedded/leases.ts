import { type RandomBytes, randomName } from '../record-id.ts';
import { silentRetryMs } from '../silent-retry.ts';
import {
  type Change,
  type Claimed,
  type Held,
  KNOWN_MS,
  type Lane,
  type Lease,
  type Saved,
  type Signalled,
  type SignalOptions,
} from '../store.ts';
import { appendAudit } from './audit-rows.ts';
import { listsAfter, liveRow, storedRecord, writeRow } from './record-rows.ts';
import { getSmall, knownKey, putSmall } from './small-rows.ts';
import type { RecordRow, Tables } from './tables.ts';

/** What the functions here need; they run inside a write transaction at the time `now`. */
export interface LeaseNeeds {
  readonly tables: Tables;
  readonly randomBytes: RandomBytes;
  readonly leaseMs: number;
  readonly auditMs: number;
  readonly now: number;
}

/** Gives the record out and writes it. `before`: the row as it is stored, if it is. */
export function hold(
  needs: LeaseNeeds,
  id: string,
  before: RecordRow | undefined,
  row: RecordRow,
): Held {
  const { tables, now, leaseMs } = needs;
  const claims = row.claims + 1;
  const token = randomName(needs.randomBytes);
  const dueAt = now + silentRetryMs(claims, leaseMs);
  const held = { ...row, claims, token, leaseEndsAt: now + leaseMs, dueAt };
  writeRow(tables, id, before, held);
  return {
    lease: { id, token },
    record: storedRecord(id, held),
    inbox: tables.inboxes.get(id) ?? [],
    claims,
    now,
  };
}

export function signal(
  needs: LeaseNeeds,
  id: string,
  news: { readonly id: string; readonly body: string },
  options: SignalOptions,
): Signalled {
  const { tables, now, leaseMs } = needs;
  const row = liveRow(tables, id, now);
  if (row === undefined) return { kind: 'missing' };
  if (options.place !== undefined && !stands(row, options.place)) return { kind: 'mismatch' };

  const inbox = tables.inboxes.get(id) ?? [];
  const waits = inbox.some((waiting) => waiting.id === news.id);
  if (options.once) {
    const key = knownKey(id, news.id);
    if (getSmall(tables, key, now) === undefined) {
      putSmall(tables, key, { value: '', expiresAt: now + KNOWN_MS });
    } else if (!waits) return { kind: 'known' };
  }
  if (!waits) {
    tables.inboxes.putSync(id, [...inbox, { id: news.id, at: now, body: news.body }]);
  }
  if (row.token !== null && row.leaseEndsAt > now) {
    // A holder that was silent before may be silent again: do not let a person wait for its long retry.
    if (silentRetryMs(row.claims, leaseMs) > leaseMs) {
      writeRow(tables, id, row, { ...row, lane: 'people', dueAt: row.leaseEndsAt });
    }
    return { kind: 'queued' };
  }
  if (options.hold) {
    return { kind: 'leased', held: hold(needs, id, row, { ...row, lane: 'people' }) };
  }
  writeRow(tables, id, row, { ...row, lane: 'people', dueAt: now });
  return { kind: 'queued' };
}

function stands(
  { place }: RecordRow,
  seen: { readonly channel: string; readonly message: string },
): boolean {
  return (
    place?.channel === seen.channel && (place.message === null || place.message === seen.message)
  );
}

export function claim(needs: LeaseNeeds, lane: Lane, limit: number): Omit<Claimed, 'size'> {
  const { tables, now } = needs;
  const held: Held[] = [];
  for (const [dueAt, id] of [...tables.due[lane].getKeys({ limit })]) {
    if (dueAt > now) break;
    const row = liveRow(tables, id, now);
    if (row === undefined) tables.due[lane].removeSync([dueAt, id]);
    else held.push(hold(needs, id, row, row));
  }
  return { held, now, nextDueAt: nextDueAt(tables, lane) };
}

export function nextDueAt(tables: Tables, lane: Lane): number | null {
  for (const [dueAt] of tables.due[lane].getKeys({ limit: 1 })) return dueAt;
  return null;
}

export function save(needs: LeaseNeeds, lease: Lease, change: Change): Saved {
  const { tables, now, leaseMs } = needs;
  const { id, token } = lease;
  const row = liveRow(tables, id, now);
  if (row === undefined || row.token !== token) return { kind: 'lost' };

  const waiting = tables.inboxes.get(id) ?? [];
  const inbox = waiting.filter((one) => !change.handled.includes(one.id));
  if (inbox.length === 0) tables.inboxes.removeSync(id);
  else if (inbox.length < waiting.length) tables.inboxes.putSync(id, inbox);
  appendAudit(tables, change.audit, now, needs.auditMs);

  const lists = change.lists ? listsAfter(row.lists, change.lists, now) : (row.lists ?? {});
  const { data, place } = change.data === null ? row : { data: change.data, place: change.place };
  const changed = { ...row, data, place, lists, claims: 0 };
  if (change.next.kind === 'keep' || inbox.length > 0) {
    const lane = inbox.length > 0 ? 'people' : row.lane;
    const endsAt = now + leaseMs;
    writeRow(tables, id, row, { ...changed, lane, dueAt: endsAt, leaseEndsAt: endsAt });
    return { kind: 'saved', released: false, inbox, now };
  }
  writeRow(tables, id, row, { ...changed, token: null, ...afterwards(change.next, now) });
  return { kind: 'saved', released: true, inbox, now };
}

function afterwards(
  next: Exclude<Change['next'], { kind: 'keep' }>,
  now: number,
): Partial<RecordRow> {
  if (next.kind === 'release') return { lane: next.lane, dueAt: next.dueAt, expiresAt: null };
  return { lane: 'background', dueAt: null, expiresAt: now + next.keepMs, lists: {} };
}

export function defer(needs: LeaseNeeds, lease: Lease, dueAt: number): 'deferred' | 'lost' {
  const row = liveRow(needs.tables, lease.id, needs.now);
  if (row === undefined || row.token !== lease.token) return 'lost';
  writeRow(needs.tables, lease.id, row, { ...row, token: null, dueAt });
  return 'deferred';
}
