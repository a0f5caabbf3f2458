import { formatRecordId, type RecordId } from '../record-id.ts';
import type { Held, Lane, Lease, NewRecord, Place, Signal, StoredRecord } from '../store.ts';

/** The texts of records, inboxes and leases in Redis; see also `scripts/prelude.lua`. */

export function writePlace(place: Place | null): string {
  return place === null ? '' : `${place.channel} ${place.message ?? ''}`;
}

/** A new record's text before its lists, which the script inserts, and after them. */
export function writeNewRecord({ place, kind, uniqueKey, data }: NewRecord): [string, string] {
  const key = uniqueKey === undefined ? '' : JSON.stringify(uniqueKey);
  return [`${writePlace(place)}\n${kind}`, `${key}\n${data}`];
}

function readPlace(text: string): Place | null {
  if (text === '') return null;
  const [channel = '', message = ''] = text.split(' ');
  return { channel, message: message === '' ? null : message };
}

/** `text`: a record without its lease. An unreadable one has no kind, so that no worker takes it. */
export function readRecordText(
  id: RecordId,
  text: string,
  due: { readonly lane: Lane; readonly dueAt: number | null },
): StoredRecord {
  const [, place = '', kindAndLists = '', key = '', data = ''] =
    /^([^\n]*)\n([^\n]*)\n([^\n]*)\n([\s\S]*)$/.exec(text) ?? [];
  const uniqueKey = readUniqueKey(key);
  const [kind = '', ...lists] = kindAndLists.split(' ');
  return {
    id: formatRecordId(id),
    kind: uniqueKey === undefined ? '' : kind,
    data,
    ...due,
    place: readPlace(place),
    uniqueKey: uniqueKey ?? null,
    lists: lists.map((list) => list.replace(/=[\s\S]*/, '')),
  };
}

/** null: it has none. */
function readUniqueKey(text: string): string | null | undefined {
  if (text === '') return null;
  try {
    return String(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** `fields`: alternating names and values of the inbox. Oldest first. */
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
 * A lease's token has the record's lists and unique key after the random part that Redis knows, so that a save can name
 * all keys it touches.
 */
export function writeLease(
  id: RecordId,
  secret: string,
  { uniqueKey, lists }: Pick<StoredRecord, 'uniqueKey' | 'lists'>,
): Lease {
  return { id: formatRecordId(id), token: `${secret}\n${lists.join(' ')}\n${uniqueKey ?? ''}` };
}

export function readToken(token: string) {
  const [, secret = token, lists = '', uniqueKey = ''] =
    /^([^\n]*)\n([^\n]*)\n([\s\S]*)$/.exec(token) ?? [];
  return { secret, uniqueKey, lists: lists === '' ? [] : lists.split(' ') };
}

/** Parses the answer of `signal` and `lease` for a leased record. */
export function readHeld(
  id: RecordId,
  secret: string,
  lane: Lane,
  now: number,
  leased: unknown,
): Held {
  // as: the script's answer
  const [claims, dueAt, text, inbox] = leased as [number, number, string, string[]];
  const record = readRecordText(id, text, { lane, dueAt });
  return {
    lease: writeLease(id, secret, record),
    record,
    inbox: readInbox(inbox),
    claims,
    now,
  };
}
