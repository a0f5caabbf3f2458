import { createHash } from 'node:crypto';
import { faceKey } from '../../posts/telling.ts';
import type { Reconciler } from '../../reconcile/reconciler.ts';
import { firstPhase } from '../../reconcile/sending.ts';
import type { Created, Store } from '../../store/store.ts';
import { type AccountChange, CHANGE_KIND, encodeChange } from './account-change.ts';
import { faceOf } from './change-face.ts';
import { entryOf } from './ending.ts';

export interface RecordNeeds {
  readonly store: Pick<Store, 'create' | 'now'>;
  readonly reconciler: Pick<Reconciler, 'hasRoom' | 'run'>;
}

/** What an administrator asked for. */
export type Asked = Pick<AccountChange, 'by' | 'wish' | 'browse' | 'modal'> & {
  /** The modal that acknowledges it shows that it is worked at. */
  readonly isShown: boolean;
};

export interface Recorded {
  readonly change: AccountChange;
  readonly created: Created;
  /** Begins at once, after the acknowledgement. */
  carryOn(): void;
}

/**
 * Records what is wanted of an account, durably and once: a second delivery of the same finds the
 * first. `key`: unique to the form or the card that it was asked for in. Throws StoreError.
 */
export async function recordChange(
  { store, reconciler }: RecordNeeds,
  { isShown, ...asked }: Asked,
  key: string,
): Promise<Recorded> {
  const begun: AccountChange = {
    v: 1,
    ...asked,
    createdAt: store.now(),
    phase: firstPhase(0),
    parts: [],
  };
  const change = isShown ? { ...begun, shown: faceKey(faceOf(begun)) } : begun;
  const created = await store.create(
    {
      kind: CHANGE_KIND,
      data: encodeChange(change),
      lane: 'people',
      dueInMs: 0,
      place: null,
      uniqueKey: createHash('sha256').update(`${CHANGE_KIND}\0${key}`).digest('base64url'),
      audit: [entryOf(change, 'people.asked')],
    },
    { hold: reconciler.hasRoom },
  );
  const held = created.kind === 'created' ? created.held : undefined;
  return { change, created, carryOn: () => void (held && reconciler.run(held)) };
}
