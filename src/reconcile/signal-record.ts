import type { Store } from '../store/store.ts';
import type { Reconciler } from './reconciler.ts';

export interface SignalRecordNeeds {
  readonly store: Pick<Store, 'signal'>;
  readonly reconciler: Pick<Reconciler, 'hasRoom' | 'run'>;
}

/**
 * Puts a signal into a record's inbox; unless somebody holds the record, who will see it, it is worked
 * on at once. missing: there is no such record. Throws StoreError.
 */
export async function signalRecord(
  { store, reconciler }: SignalRecordNeeds,
  id: string,
  signal: { readonly id: string; readonly body: string },
): Promise<'missing' | 'stored'> {
  const signalled = await store.signal(id, signal, { hold: reconciler.hasRoom });
  if (signalled.kind === 'leased') void reconciler.run(signalled.held);
  return signalled.kind === 'missing' ? 'missing' : 'stored';
}
