import type { RecordDependencies } from './reconciler.ts';

/**
 * Puts a signal into a record's inbox; unless somebody holds the record, who will see it, it is worked
 * on at once. `once`: it is what somebody did in Slack, which may be delivered again. missing: there is
 * no such record. Throws StoreError.
 */
export async function signalRecord(
  { store, reconciler }: RecordDependencies,
  id: string,
  signal: { readonly id: string; readonly body: string },
  { once = false }: { readonly once?: boolean } = {},
): Promise<'missing' | 'stored'> {
  const signalled = await store.signal(id, signal, { hold: reconciler.hasRoom, once });
  if (signalled.kind === 'leased') void reconciler.run(signalled.held);
  return signalled.kind === 'missing' ? 'missing' : 'stored';
}
