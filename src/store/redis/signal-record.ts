import { parseRecordId, randomName } from '../record-id.ts';
import { KNOWN_MS, type Signalled, type SignalOptions } from '../store.ts';
import { readHeld, writePlace } from './record-text.ts';
import type { RedisNeeds } from './redis-needs.ts';

/** `Store.signal`. */
export async function signalRecord(
  { connection, keys, shards, randomBytes }: RedisNeeds,
  id: string,
  signal: { readonly id: string; readonly body: string },
  { place, hold, once = false }: SignalOptions,
): Promise<Signalled> {
  const at = parseRecordId(id, shards);
  if (at === undefined) return { kind: 'missing' };
  const { shard, member } = at;
  const secret = hold ? randomName(randomBytes) : '';
  const answer = await connection.write(
    'signal',
    [
      keys.record(shard, member),
      keys.inbox(shard, member),
      keys.due(shard, 'people'),
      keys.due(shard, 'background'),
      keys.known(shard, member, signal.id),
    ],
    [
      member,
      signal.id,
      signal.body,
      secret,
      place ? writePlace(place) : '',
      place ? writePlace({ ...place, message: null }) : '',
      once ? KNOWN_MS : '',
    ],
    keys.marker(shard),
  );
  // as: the script says what it answers
  const kind = answer[0] as Signalled['kind'];
  if (kind !== 'leased') return { kind };
  return { kind, held: readHeld(at, secret, 'people', Number(answer[1]), answer[2]) };
}
