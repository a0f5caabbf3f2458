import type { Route } from '../../../core/config/config.ts';
import { resultIn } from '../../../core/engine/flow.ts';
import { untilRead } from '../../../core/engine/put-record.ts';
import type { Timers } from '../../../core/lib/timers.ts';
import { type Held, type Store, StoreError } from '../../../core/store/store.ts';
import { unlessAway } from '../../../core/store/unless-away.ts';
import {
  type Closing,
  type ClosingSignal,
  closingKey,
  closingRecord,
  decodeClosing,
  encodeClosing,
  isOver,
  receiveClosing,
} from '../../electorate/closing.ts';

/** Stores that somebody closes or opens a route, for Slack and the command line. */

interface Needs {
  readonly store: Store;
  readonly timers: Timers;
}

/** Of a reason, in characters. */
export const WHY_MAX = 80;
const TRIES = 3;

/**
 * Returns the closing once every process reads the change. `id`: of the command. undefined: it was opened, and nobody
 * had closed it. Safe to repeat. Throws StoreError: `unknown` if it is stored, and not known to be read yet.
 */
export async function storeClosing(
  { store, timers }: Needs,
  route: string,
  id: string,
  change: ClosingSignal,
): Promise<Closing | undefined> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const known = await store.find(closingKey(route));
    const before = known && decodeClosing(known.data);
    // An earlier try was read later.
    if (before?.seen.includes(id)) return before;
    const isShut = before !== undefined && !isOver(before, store.now());
    if (change.kind === 'open' && !isShut) return undefined;
    if (known === undefined && change.kind === 'close') {
      const record = closingRecord(route, id, change, store.now());
      const created = await store.create(
        { ...record, lane: 'people', dueInMs: 0, place: null },
        { hold: false },
      );
      if (created.kind === 'created') return decodeClosing(record.data);
      continue;
    }
    if (known === undefined) continue;
    const signal = { id, body: JSON.stringify(change) };
    const signalled = await store.signal(known.id, signal, { hold: true });
    if (signalled.kind === 'leased') {
      // It is stored: if the store is away now, a worker continues.
      const saved = await unlessAway(applyHeld(store, signalled.held), undefined);
      if (saved !== undefined) return saved;
    } else if (signalled.kind === 'missing') continue;
    return untilRead({ store, timers }, known.id, (data) => {
      const closing = decodeClosing(data);
      return closing.seen.includes(id) ? closing : undefined;
    });
  }
  throw new StoreError('unavailable', 'a closing ended each time it was to be changed');
}

/** Applies what is in its inbox; the announcements follow in a worker. undefined: another one holds it. */
async function applyHeld(store: Store, held: Held): Promise<Closing | undefined> {
  const signals = held.inbox.filter((signal) => resultIn(signal) === undefined);
  let closing = decodeClosing(held.record.data);
  const audit = signals.flatMap((signal) => {
    // as: only `storeClosing` writes it
    const applied = receiveClosing(closing, signal, JSON.parse(signal.body) as ClosingSignal);
    closing = applied.data;
    return applied.audit ?? [];
  });
  const saved = await store.save(held.lease, {
    data: encodeClosing(closing),
    handled: signals.map(({ id }) => id),
    place: null,
    audit: audit.map((entry) => ({ ...entry, record: held.record.id })),
    durable: true,
    next: { kind: 'release', lane: 'people', dueAt: held.now },
  });
  return saved.kind === 'saved' ? closing : undefined;
}

/** Where a route's opening and closing are announced. */
export function channelsOf(route: Route | undefined): readonly string[] {
  if (route === undefined) return [];
  return [...new Set([route.channel, route.outcomes.channel ?? []].flat())];
}
