import type { Failed } from '../core/engine/call-result.ts';
import type { MonotonicClock } from '../core/lib/clock.ts';
import type { Slot } from '../core/posts/post-calls.ts';
import type { Store } from '../core/store/store.ts';
import { unlessAway } from '../core/store/unless-away.ts';
import { troubleOf } from './failure.ts';

interface ServiceAnswersNeeds {
  readonly clock: MonotonicClock;
  readonly store: Store;
}

/** How a step that calls the service ends; a slot: the call waits for it. */
export type ServiceResult = CallEnd | Slot | { readonly kind: 'responded'; readonly end: CallEnd };

type CallEnd = { readonly kind: 'status' } | Failed;

/** Beside the result of a step that called the service: when the approvals that it refused are to be resumed. Stored with it. */
export interface Answered {
  /** At once: this process did not know whether the service authorizes Gatepost. */
  readonly authorizedAgain?: true;
  /** In so long: they were resumed within the last minute, and one of them was refused again. */
  readonly tellAgainInMs?: number;
}

/** What the service's answers tell beyond the one approval, as far as this process heard them. */
export interface ServiceAnswers {
  /**
   * Notes how a call for an approval ended. To an answer it adds when the refused approvals are to be
   * resumed: at once after a 401 or 403, and once a minute, because other replicas may have been refused,
   * or died before they resumed any. Where a resumed approval was refused within that minute, it is at the
   * minute's end, as no further call may follow for long. `isResumed`: the call was for a resumed approval.
   */
  after<Result extends ServiceResult>(result: Result, isResumed: boolean): Result;
  /**
   * The service showed an approval, which ends a row of those that it did not know. `isPoll`: nobody
   * waits for it, so there is time to end the row in the store as well; otherwise the next poll does that,
   * or the next approval that is not known.
   */
  shown(isPoll: boolean): Promise<void>;
  /**
   * Whether this approval, which the service did not know at its first read (404), is at least the
   * third in a row, of all replicas. The answer is the same when it is asked again. Throws StoreError.
   */
  isThirdNotKnown(id: string): Promise<boolean>;
}

/** Whether the service answered anything but that it does not let Gatepost in: that much is known then. */
export function isAnswered(result: ServiceResult): boolean {
  const end = result.kind === 'responded' ? result.end : result;
  if (end.kind === 'status') return true;
  if (end.kind !== 'failed' || end.failure.status === undefined) return false;
  return troubleOf(end.failure).why !== 'denied';
}

const NEWS_MS = 60_000;

export function createServiceAnswers({ clock, store }: ServiceAnswersNeeds): ServiceAnswers {
  let isDenied = true;
  let isRefusedAgain = false;
  let toldAt = 0;
  return {
    ...rowOfNotKnown({ clock, store }),
    after(result, isResumed) {
      if (result.kind === 'failed' && troubleOf(result.failure).why === 'denied') {
        // One that is refused for ever is not tried at each answer that others get.
        if (isResumed) isRefusedAgain = true;
        else isDenied = true;
        return result;
      }
      if (!isAnswered(result)) return result;
      const now = clock.monotonic();
      const inMs = toldAt + NEWS_MS - now;
      const isKnown = !isDenied && inMs > 0;
      if (isKnown && !isRefusedAgain) return result;
      isDenied = false;
      isRefusedAgain = false;
      toldAt = isKnown ? now + inMs : now;
      return isKnown ? { ...result, tellAgainInMs: inMs } : { ...result, authorizedAgain: true };
    },
  };
}

/** Holds the name of the present row, which says when it began; each place in it has a key of its own. */
const ROW = 'approvals.not-known';
const ROW_MS = 7 * 86_400_000;
const PLACES = [1, 2, 3] as const;
/** How often a process that polls asks the store whether there is a row. */
const ROW_LOOK_MS = 1_000;

function rowOfNotKnown({
  clock,
  store,
}: ServiceAnswersNeeds): Pick<ServiceAnswers, 'shown' | 'isThirdNotKnown'> {
  let shownAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** The present row; one that began before this process was shown an approval has ended. */
  async function present(): Promise<string | undefined> {
    const row = await store.get(ROW);
    if (row === undefined || Number.parseInt(row, 10) >= shownAt) return row;
    await store.take(ROW);
    return undefined;
  }

  return {
    async shown(isPoll) {
      shownAt = store.now();
      if (!isPoll || clock.monotonic() - lookedAt < ROW_LOOK_MS) return;
      lookedAt = clock.monotonic();
      // The poll is worth more; the next one looks again.
      await unlessAway(present(), undefined);
    },
    async isThirdNotKnown(id) {
      const own = `${store.now()}-${id}`;
      const began = await present();
      const isOwn = began === undefined && (await store.putIfAbsent(ROW, own, ROW_MS));
      const row = isOwn ? own : (began ?? (await store.get(ROW)) ?? own);
      for (const place of PLACES) {
        const key = `${ROW}.${row}.${place}`;
        const isMine = (await store.putIfAbsent(key, id, ROW_MS)) || (await store.get(key)) === id;
        if (isMine) return place === PLACES.length;
      }
      return true;
    },
  };
}
