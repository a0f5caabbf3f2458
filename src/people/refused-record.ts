import type { Flow } from '../reconcile/flow.ts';
import type { Store } from '../store/store.ts';

/** Somebody was turned away before there was anything to do: a record that is over at once, for its audit entry. */
export const REFUSED_KIND = 'refused';

/** `action`: what the audit log calls it. Throws StoreError. */
export async function recordRefusal(
  store: Pick<Store, 'create'>,
  action: string,
  { user, channel, code }: { user: string; channel: string; code: string },
): Promise<void> {
  const facts = { refusal: code, channel };
  await store.create(
    {
      kind: REFUSED_KIND,
      data: '{}',
      lane: 'background',
      dueInMs: 0,
      place: null,
      audit: [{ action, record: null, actor: user, facts }],
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
