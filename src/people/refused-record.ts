import type { Flow } from '../reconcile/flow.ts';
import type { NewAuditEntry, NewRecord, Store } from '../store/store.ts';

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
  await store.create(overAtOnce(entry), { hold: false });
}

/**
 * An entry for the audit log, from where no bot runs: its record is over at once, and let go of here.
 * Gives the record's id. Throws StoreError when the entry is not certain to be there.
 */
export async function noteInAudit(
  store: Pick<Store, 'create' | 'save'>,
  entry: NewAuditEntry,
): Promise<string> {
  const created = await store.create(overAtOnce(entry), { hold: true });
  // Without a unique key there is never another record.
  if (created.kind !== 'created' || created.held === undefined) throw new Error('nothing was held');
  const over = { data: null, handled: [], place: null, audit: [], next: FINISH } as const;
  // If this fails, the bot does the same when the lease ends.
  await store.save(created.held.lease, over).catch(() => undefined);
  return created.id;
}

function overAtOnce(entry: NewAuditEntry): NewRecord {
  const due = { lane: 'background', dueInMs: 0, place: null } as const;
  return { kind: REFUSED_KIND, data: '{}', ...due, audit: [entry] };
}

const FINISH = { kind: 'finish', keepMs: 0 } as const;

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
