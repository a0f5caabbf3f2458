import { createHash } from 'node:crypto';
import type { Created, NewAuditEntry, SignalOptions, Store } from '../store/store.ts';
import type { RecordRunner } from './reconciler.ts';

/** Puts work into records, and begins it in this process: people wait for it. */

/** Where records are put, and who works on them at once. */
export interface RecordDependencies {
  readonly store: Store;
  readonly reconciler: RecordRunner;
}

/** What somebody asked for, as its record begins. */
interface Beginning {
  readonly kind: string;
  readonly data: string;
  /** Unique, among its kind, to what was pressed, typed or sent. */
  readonly key: string;
  readonly audit: NewAuditEntry;
}

export interface RecordedOnce {
  readonly created: Created;
  /** Begins at once, after the acknowledgement. */
  carryOn(): void;
}

/**
 * Records what somebody asked for, durably and once: a second delivery of the same finds the first.
 * Throws StoreError.
 */
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
  /** `carryOn`: begins at once, after the acknowledgement, unless somebody holds the record, who will see it. */
  | { readonly kind: 'stored'; carryOn(): void }
  /** missing: there is no such record. mismatch: it does not belong to `place`. */
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
 * Puts a signal into a record's inbox; unless somebody holds the record, who will see it, it is worked
 * on at once. `once`: it is what somebody did in Slack, which may be delivered again. missing: there is
 * no such record. Throws StoreError.
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

interface NewSignal {
  readonly id: string;
  readonly body: string;
}
