import { type SignalRecordNeeds, signalRecord } from '../reconcile/signal-record.ts';
import type { Store } from '../store/store.ts';
import { encodeSignal } from './take.ts';

export interface WakeNeeds extends SignalRecordNeeds {
  readonly store: Pick<Store, 'list' | 'signal'>;
}

/** Two, so that the rest follows even when one of them does not come through. */
const AT_ONCE = 2;

/**
 * Lets the approvals that stand on a list longest try again; those that come through, or have nothing
 * to try any more, wake the next ones. Waking one twice is waking it once. Throws StoreError.
 */
export async function wake(needs: WakeNeeds, list: string): Promise<void> {
  let left = AT_ONCE;
  let after: string | null | undefined;
  while (left > 0 && after !== null) {
    const { entries, next } = await needs.store.list([list], { limit: left, after });
    for (const { record } of entries) {
      const signal = { id: `woken.${list}`, body: encodeSignal({ kind: 'woken', list }) };
      if ((await signalRecord(needs, record.id, signal)) === 'stored') left -= 1;
    }
    after = next;
  }
}
