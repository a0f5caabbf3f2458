import { formatRecordId, randomName } from '../record-id.ts';
import { renewedToken } from '../renewed.ts';
import { silentRetryMs } from '../silent-retry.ts';
import type {
  Change,
  Claimed,
  Created,
  Held,
  Lane,
  Lease,
  NewRecord,
  Saved,
  Signalled,
  SignalOptions,
  StoredRecord,
} from '../store.ts';
import { appendAudit } from './audit.ts';
import { inboxOf, putSignal, removeSignals, waits } from './inbox.ts';
import { listsAfter, liveRow, removeRow, storedRecord, writeRow } from './records.ts';
import { noteSignal } from './small-keys.ts';
import type { RecordRow, Tables, Transaction } from './tables.ts';

export function create(
  transaction: Transaction,
  record: NewRecord,
  options: { readonly hold: boolean },
): Created {
  const { tables, now } = transaction;
  const { kind, data, lane, place, uniqueKey = null, lists = [], audit = [] } = record;
  const id = formatRecordId({ shard: 0, member: randomName(transaction.random) });
  if (uniqueKey !== null) {
    const holder = holderOf(transaction, uniqueKey);
    if (holder !== undefined) return { kind: 'exists', record: holder };
    tables.unique.putSync(uniqueKey, id);
  }
  appendAudit(transaction, audit, id);
  const row = {
    ...{ kind, data, lane, place, uniqueKey, dueAt: now + record.dueInMs },
    ...{ claims: 0, token: null, leaseEndsAt: 0, expiresAt: null },
    lists: listsAfter({}, lists, now),
  };
  if (options.hold) {
    return { kind: 'created', id, now, held: hold(transaction, id, undefined, row) };
  }
  writeRow(tables, id, undefined, row);
  return { kind: 'created', id, now };
}

/** The living record that holds the key; one that has expired is removed. */
function holderOf({ tables, now }: Transaction, uniqueKey: string): StoredRecord | undefined {
  const id = tables.unique.get(uniqueKey);
  const row = id === undefined ? undefined : tables.records.get(id);
  if (id === undefined || row === undefined) return undefined;
  if (liveRow({ tables, now }, id)) return storedRecord(id, row);
  removeRow(tables, id, row);
  return undefined;
}

/** Leases the record and writes it. `before`: the stored row, if any. */
function hold(
  transaction: Transaction,
  id: string,
  before: RecordRow | undefined,
  row: RecordRow,
): Held {
  const { tables, now, leaseMs } = transaction;
  const claims = row.claims + 1;
  const token = randomName(transaction.random);
  const dueAt = now + silentRetryMs(claims, leaseMs);
  const held = { ...row, claims, token, leaseEndsAt: now + leaseMs, dueAt };
  writeRow(tables, id, before, held);
  return {
    lease: { id, token },
    record: storedRecord(id, held),
    inbox: inboxOf(tables, id),
    claims,
    now,
  };
}

export function signal(
  transaction: Transaction,
  id: string,
  news: { readonly id: string; readonly body: string },
  options: SignalOptions,
): Signalled {
  const { tables, now, leaseMs } = transaction;
  const row = liveRow(transaction, id);
  if (row === undefined) return { kind: 'missing' };
  if (options.place !== undefined && !stands(row, options.place)) return { kind: 'mismatch' };

  const isThere = waits(tables, id, news.id);
  if (options.once && !noteSignal(transaction, id, news.id) && !isThere) return { kind: 'known' };
  if (!isThere) putSignal(tables, id, { id: news.id, at: now, body: news.body });
  if (row.token !== null && row.leaseEndsAt > now) {
    // A holder that went silent before may do so again: a person must not wait for its long retry.
    if (silentRetryMs(row.claims, leaseMs) > leaseMs) {
      writeRow(tables, id, row, { ...row, lane: 'people', dueAt: row.leaseEndsAt });
    }
    return { kind: 'queued' };
  }
  if (options.hold) {
    return { kind: 'leased', held: hold(transaction, id, row, { ...row, lane: 'people' }) };
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

export function claim(transaction: Transaction, lane: Lane, limit: number): Omit<Claimed, 'size'> {
  const { tables, now } = transaction;
  const held: Held[] = [];
  for (const [dueAt, id] of [...tables.due[lane].getKeys({ limit })]) {
    if (dueAt > now) break;
    const row = liveRow(transaction, id);
    if (row === undefined) tables.due[lane].removeSync([dueAt, id]);
    else held.push(hold(transaction, id, row, row));
  }
  return { held, now, nextDueAt: nextDueAt(tables, lane) };
}

export function nextDueAt(tables: Tables, lane: Lane): number | null {
  for (const [dueAt] of tables.due[lane].getKeys({ limit: 1 })) return dueAt;
  return null;
}

export function save(transaction: Transaction, lease: Lease, change: Change): Saved {
  const { tables, now, leaseMs } = transaction;
  const { id } = lease;
  const row = heldRow(transaction, lease);
  if (row === undefined) return { kind: 'lost' };

  const inbox = removeSignals(tables, id, change.handled);
  appendAudit(transaction, change.audit);

  const lists = change.lists ? listsAfter(row.lists, change.lists, now) : row.lists;
  const { data, place } = change.data === null ? row : { data: change.data, place: change.place };
  const changed = { ...row, data, place, lists, claims: 0 };
  if (change.next.kind === 'keep' || inbox.length > 0) {
    const lane = inbox.length > 0 ? 'people' : row.lane;
    const endsAt = now + leaseMs;
    const token = renewedToken(lease.token);
    writeRow(tables, id, row, { ...changed, lane, token, dueAt: endsAt, leaseEndsAt: endsAt });
    return { kind: 'saved', released: false, inbox, now };
  }
  writeRow(tables, id, row, { ...changed, token: null, ...afterwards(change.next, now) });
  return { kind: 'saved', released: true, inbox, now };
}

/** Accepts the current token, or the previous one, because the answer to the last save may have been lost. */
function heldRow(transaction: Transaction, { id, token }: Lease): RecordRow | undefined {
  const row = liveRow(transaction, id);
  return row?.token === token || row?.token === renewedToken(token) ? row : undefined;
}

function afterwards(
  next: Exclude<Change['next'], { kind: 'keep' }>,
  now: number,
): Partial<RecordRow> {
  if (next.kind === 'release') return { lane: next.lane, dueAt: next.dueAt, expiresAt: null };
  return { lane: 'background', dueAt: null, expiresAt: now + next.keepMs, lists: {} };
}

export function defer(transaction: Transaction, lease: Lease, dueAt: number): 'deferred' | 'lost' {
  const row = heldRow(transaction, lease);
  if (row === undefined) return 'lost';
  writeRow(transaction.tables, lease.id, row, { ...row, token: null, dueAt });
  return 'deferred';
}
