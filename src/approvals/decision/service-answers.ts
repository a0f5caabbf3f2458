import type { Failed } from '../../core/engine/call-result.ts';
import type { MonotonicClock } from '../../core/lib/clock.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Store } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { troubleOf } from '../failure.ts';
import { SHORTEST_WAIT } from '../schedule.ts';

interface ServiceAnswersNeeds {
  readonly clock: MonotonicClock;
  readonly store: Store;
  readonly timing: Pick<Timing, 'probeEveryMs'>;
}

/** What this process knows about the service from its answers for all approvals. */
export interface ServiceAnswers {
  /** Records how a call for an approval ended. */
  heard(end: { readonly kind: 'status' } | Failed): Promise<void>;
  /** Whether the service denies every call (401, 403): the last one was denied, and none was answered for a minute. */
  isDenying(): boolean;
  /** While the service is denying, one poll a minute of all replicas probes it: whether this one may. */
  isProbe(): Promise<boolean>;
  /**
   * The service showed an approval, which resets the run of unknown tokens. `isPoll`: nobody is waiting, so the store's
   * run is reset too; otherwise the next poll does that, or the next unknown approval.
   */
  shown(isPoll: boolean): Promise<void>;
  /**
   * Whether this approval, unknown to the service at its first read (404), is at least the third in a row across all
   * replicas. Repeated calls give the same answer. Throws StoreError.
   */
  isThirdNotKnown(id: string): Promise<boolean>;
}

export function createServiceAnswers(needs: ServiceAnswersNeeds): ServiceAnswers {
  return { ...rowOfNotKnown(needs), ...denials(needs) };
}

/** Held by the poll that probes. */
const PROBE = 'approvals.probe';

function denials({
  clock,
  store,
  timing: { probeEveryMs },
}: ServiceAnswersNeeds): Pick<ServiceAnswers, 'heard' | 'isDenying' | 'isProbe'> {
  let isDenied = false;
  let answeredAt = Number.NEGATIVE_INFINITY;
  return {
    async heard(end) {
      const failure = end.kind === 'failed' ? end.failure : undefined;
      // A call without a response says nothing about it.
      if (failure !== undefined && failure.status === undefined) return;
      const wasDenied = isDenied;
      isDenied = troubleOf(failure).why === 'denied';
      if (isDenied) return;
      answeredAt = clock.monotonic();
      // Other replicas can poll at once.
      if (wasDenied) await unlessAway(store.take(PROBE), undefined);
    },
    isDenying: () => isDenied && clock.monotonic() - answeredAt >= probeEveryMs,
    isProbe() {
      // Shorter than the shortest wait of the approval that probed: it may be the only one.
      const lifetimeMs = Math.floor(probeEveryMs * SHORTEST_WAIT);
      return unlessAway(store.putIfAbsent(PROBE, '1', lifetimeMs), true);
    },
  };
}

/** Names the current run, by when it began; each place in the run has a key of its own. */
const ROW = 'approvals.not-known';
const ROW_MS = 7 * 86_400_000;
const PLACES = [1, 2, 3] as const;
/** How often a process that polls checks the store for a run. */
const ROW_LOOK_MS = 1_000;

function rowOfNotKnown({
  clock,
  store,
}: ServiceAnswersNeeds): Pick<ServiceAnswers, 'shown' | 'isThirdNotKnown'> {
  let shownAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;

  /** The current run; it has ended if this process was shown an approval since it began. */
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
      // The poll matters more; the next one checks again.
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
