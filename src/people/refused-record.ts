import type { Flow } from '../reconcile/flow.ts';
import type { NewAuditEntry, Store } from '../store/store.ts';

/** Something happened that no record keeps: one that is over at once, for its audit entry. */
export const REFUSED_KIND = 'refused';

/**
 * Somebody was turned away before there was anything to do. `action`: what the audit log calls it.
 * Throws StoreError.
 */
export async function recordRefusal(
  store: Pick<Store, 'create'>,
  action: string,
  { user, channel, code }: { user: string; channel: string; code: string },
): Promise<void> {
  const facts = { refusal: code, channel };
  await recordEntry(store, { action, record: null, actor: user, facts });
}

/** Throws StoreError. */
export async function recordEntry(
  store: Pick<Store, 'create'>,
  entry: NewAuditEntry,
): Promise<void> {
  await store.create(
    {
      kind: REFUSED_KIND,
      data: '{}',
      lane: 'background',
      dueInMs: 0,
      place: null,
      audit: [entry],
    },
    { hold: false },
  );
}

/** Such a record is let go of as soon as it is met. */
export function createRefusedFlow(): Flow<object, never, never> {
  const nothing = () => {
    throw new Error('a refusal has no steps');
  };
  return {
    kind: REFUSED_KIND,
    decode: () => ({}),
    encode: () => '{}',
    placeOf: () => null,
    take: (data) => ({ data }),
    plan: () => ({ kind: 'finish', keepMs: 0 }),
    begin: () => undefined,
    perform: nothing,
    fold: nothing,
    resultSignal: nothing,
    describe: nothing,
  };
}
