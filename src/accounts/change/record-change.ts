import { stateKey } from '../../operations/report.ts';
import { firstPhase } from '../../operations/sending.ts';
import {
  type RecordedOnce,
  type RecordOnceNeeds,
  recordOnce,
} from '../../reconcile/record-once.ts';
import type { Store } from '../../store/store.ts';
import { type AccountChange, CHANGE_KIND, encodeChange } from './account-change.ts';
import { faceOf } from './change-face.ts';
import { entryOf } from './ending.ts';

export interface RecordNeeds extends RecordOnceNeeds {
  readonly store: Pick<Store, 'create' | 'now'>;
}

/** What an administrator asked for. */
export type Asked = Pick<AccountChange, 'by' | 'wish' | 'browse' | 'modal'> & {
  /** The modal that acknowledges it shows that it is worked at. */
  readonly isShown: boolean;
};

export interface Recorded extends RecordedOnce {
  readonly change: AccountChange;
}

/**
 * Records what is wanted of an account, durably and once: a second delivery of the same finds the
 * first. `key`: unique to the form or the card that it was asked for in. Throws StoreError.
 */
export async function recordChange(
  needs: RecordNeeds,
  { isShown, ...asked }: Asked,
  key: string,
): Promise<Recorded> {
  const begun: AccountChange = {
    v: 1,
    ...asked,
    // Nobody is told of it but the person.
    channel: '',
    createdAt: needs.store.now(),
    phase: firstPhase(0),
    parts: [],
  };
  const change = isShown ? { ...begun, shown: stateKey(faceOf(begun)) } : begun;
  const audit = entryOf(change, 'people.asked');
  const data = encodeChange(change);
  return { change, ...(await recordOnce(needs, { kind: CHANGE_KIND, data, key, audit })) };
}
