import { createHash } from 'node:crypto';
import type { Timers } from '../lib/timers.ts';
import {
  type Created,
  type NewAuditEntry,
  type SignalOptions,
  type Store,
  StoreError,
} from '../store/store.ts';
import { unlessAway } from '../store/unless-away.ts';
import type { RecordRunner } from './reconciler.ts';

/** Stores work in records and starts on it in this process, because people wait for it. */

export interface RecordDependencies {
  readonly store: Store;
  readonly reconciler: RecordRunner;
}

/** A new record for what somebody asked for. */
interface Beginning {
  readonly kind: string;
  readonly data: string;
  /** Unique among its kind: identifies what was pressed, typed or sent. */
  readonly key: string;
  readonly audit: NewAuditEntry;
}

export interface RecordedOnce {
  readonly created: Created;
  /** Starts work, after the acknowledgement. */
  carryOn(): void;
}

/** Records a request durably and once: a repeated delivery finds the first record. Throws StoreError. */
export async function recordOnce(
  { store, reconciler }: RecordDependencies,
  { kind, data, key, audit }: Beginning,
): Promise<RecordedOnce> {
  const uniqueKey = createHash('sha256').update(`${kind}\0${key}`).digest('base64url');
  const created = await store.create(
    { kind, data, lane: 'people', dueInMs: 0, place: null, uniqueKey, audit: [audit] },
    { hold: reconciler.hasRoom },
  );
  const held = created.kind === 'created' ? created.held : undefined;
  return { created, carryOn: () => void (held && reconciler.run(held)) };
}

export type SignalStored =
  /** `carryOn`: starts work after the acknowledgement, unless a lease holder exists, who will see the signal. */
  | { readonly kind: 'stored'; carryOn(): void }
  /** missing: there is no such record. mismatch: the record does not belong to `place`. */
  | { readonly kind: 'missing' | 'mismatch' };

/** Puts a signal into a record's inbox, in one round trip. Throws StoreError. */
export async function storeSignal(
  { store, reconciler }: RecordDependencies,
  id: string,
  signal: NewSignal,
  options: Omit<SignalOptions, 'hold'>,
): Promise<SignalStored> {
  const signalled = await store.signal(id, signal, { ...options, hold: reconciler.hasRoom });
  switch (signalled.kind) {
    case 'leased':
      return { kind: 'stored', carryOn: () => void reconciler.run(signalled.held) };
    case 'queued':
    case 'known':
      return { kind: 'stored', carryOn() {} };
    default:
      return { kind: signalled.kind };
  }
}

/**
 * Puts a signal into a record's inbox and starts work on it, unless a lease holder exists, who will see it. `once`: a
 * Slack action, which may be delivered again. missing: there is no such record. Throws StoreError.
 */
export async function signalRecord(
  dependencies: RecordDependencies,
  id: string,
  signal: NewSignal,
  { once = false }: { readonly once?: boolean } = {},
): Promise<'missing' | 'stored'> {
  const stored = await storeSignal(dependencies, id, signal, { once });
  if (stored.kind === 'stored') stored.carryOn();
  return stored.kind === 'missing' ? 'missing' : 'stored';
}

/** How many ids a record keeps of the signals that are part of it. */
const SEEN_MAX = 20;

/** The ids of the last signals that are part of a record, for `untilRead`. */
export function withSeen(seen: readonly string[] = [], id: string): readonly string[] {
  return [...seen, id].slice(-SEEN_MAX);
}

/** From then on a quarter of a second apart, for as long as a worker may hold the record, and a little more. */
const READ_AGAIN_MS = [10, 40, 100];
const READ_EVERY_MS = 250;
const READ_TRIES = 60;

/**
 * Waits until a signal is part of its record, so that every process reads what it changed: a worker that holds the
 * record may be busy with a call. Returns the data that `shows` it. Throws StoreError: `unknown` if that takes too
 * long, or the record is gone.
 */
export async function untilRead<Data>(
  {
    store,
    timers,
  }: { readonly store: Pick<Store, 'read'>; readonly timers: Pick<Timers, 'sleep'> },
  id: string,
  shows: (data: string) => Data | undefined,
): Promise<Data> {
  for (let tries = 0; tries < READ_TRIES; tries += 1) {
    const record = await unlessAway(store.read(id), null);
    if (record === undefined) break;
    const data = record === null ? undefined : shows(record.data);
    if (data !== undefined) return data;
    await timers.sleep(READ_AGAIN_MS[tries] ?? READ_EVERY_MS);
  }
  throw new StoreError('unknown', 'a signal was stored and is not part of its record yet');
}

export interface NewSignal {
  readonly id: string;
  readonly body: string;
}
