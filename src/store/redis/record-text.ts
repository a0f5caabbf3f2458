import { formatRecordId, type RecordId } from '../record-id.ts';
import type { Held, Lane, Lease, Place, Signal, StoredRecord } from '../store.ts';

/** How records, inboxes and leases are written in Redis; `scripts/prelude.lua` shows the other side. */

export function writePlace(place: Place | null): string {
  return place === null ? '' : `${place.channel} ${place.message ?? ''}`;
}

/** All of a record that is not its lease. */
export function writeRecord(record: {
  readonly place: Place | null;
  readonly kind: string;
  readonly uniqueKey: string | null;
  readonly data: string;
}): string {
  const uniqueKey = record.uniqueKey === null ? '' : JSON.stringify(record.uniqueKey);
  return [writePlace(record.place), record.kind, uniqueKey, record.data].join('\n');
}

function readPlace(text: string): Place | null {
  if (text === '') return null;
  const [channel = '', message = ''] = text.split(' ');
  return { channel, message: message === '' ? null : message };
}

/** `text`: what `writeRecord` wrote. */
export function readRecord(
  id: RecordId,
  text: string,
  due: { readonly lane: Lane; readonly dueAt: number | null },
): StoredRecord {
  const [, place = '', kind = '', uniqueKey = '', data = ''] =
    /^(.*)\n(.*)\n(.*)\n([\s\S]*)$/.exec(text) ?? [];
  return {
    id: formatRecordId(id),
    kind,
    data,
    ...due,
    place: readPlace(place),
    uniqueKey: uniqueKey === '' ? null : String(JSON.parse(uniqueKey)),
  };
}

/** `fields`: names and values of the inbox, in turn. Oldest first. */
export function readInbox(fields: readonly string[]): readonly Signal[] {
  const numbered: { readonly number: number; readonly signal: Signal }[] = [];
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [id = '', text = ''] = [fields[i], fields[i + 1]];
    if (id === '') continue;
    const [, number, at, body = ''] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? [];
    numbered.push({ number: Number(number), signal: { id, at: Number(at), body } });
  }
  return numbered.sort((a, b) => a.number - b.number).map(({ signal }) => signal);
}

/**
 * The token of a lease carries the record's unique key behind the random part that Redis knows, so
 * that a save can name all keys that it touches.
 */
export function writeLease(id: RecordId, secret: string, uniqueKey: string | null): Lease {
  return { id: formatRecordId(id), token: `${secret}:${uniqueKey ?? ''}` };
}

export function readToken(token: string): { readonly secret: string; readonly uniqueKey: string } {
  const end = token.indexOf(':');
  if (end < 0) return { secret: token, uniqueKey: '' };
  return { secret: token.slice(0, end), uniqueKey: token.slice(end + 1) };
}

/** Reads what `signal` and `lease` answer for a record that they leased. */
export function readHeld(
  id: RecordId,
  secret: string,
  lane: Lane,
  now: number,
  leased: unknown,
): Held {
  // as: the scripts say what they answer
  const [claims, dueAt, text, inbox] = leased as [number, number, string, string[]];
  const record = readRecord(id, text, { lane, dueAt });
  return {
    lease: writeLease(id, secret, record.uniqueKey),
    record,
    inbox: readInbox(inbox),
    claims,
    now,
  };
}
