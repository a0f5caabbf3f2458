import type { Flow } from '../reconcile/flow.ts';
import type { Store } from '../store/store.ts';
import type { MoveRefusal } from './refusal.ts';

/** Somebody was turned away before there was a move: a record that is over at once, for its audit entry. */
export const REFUSED_KIND = 'move-refused';

/** Throws StoreError. */
export async function recordRefusal(
  store: Pick<Store, 'create'>,
  { user, channel, code }: { user: string; channel: string; code: MoveRefusal },
): Promise<void> {
  const facts = { refusal: code, channel };
  await store.create(
    {
      kind: REFUSED_KIND,
      data: '{}',
      lane: 'background',
      dueInMs: 0,
      place: null,
      audit: [{ action: 'tasks.move.refused', record: null, actor: user, facts }],
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
