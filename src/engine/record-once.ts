import { createHash } from 'node:crypto';
import type { Created, NewAuditEntry } from '../store/store.ts';
import type { RecordDependencies } from './reconciler.ts';

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
