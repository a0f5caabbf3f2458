import { createHash } from 'node:crypto';
import type { Created, NewAuditEntry, SignalOptions, Store } from '../store/store.ts';
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

export interface NewSignal {
  readonly id: string;
  readonly body: string;
}
