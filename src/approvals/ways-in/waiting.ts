import type { Logger } from '../../core/engine/reconciler.ts';
import type { Timers } from '../../core/lib/timers.ts';
import { type Store, StoreError } from '../../core/store/store.ts';

/**
 * Requests that wait for news of an approval. Saves of this process are reported at once; those of other replicas are
 * found in the audit log, which has every step towards an end, with one read for all.
 */
export interface Waiting {
  /** Resolves when there may be news of the approval, after `ms`, or when the process shuts down. */
  news(id: string, ms: number): Promise<void>;
  /** This process has saved it. */
  saved(id: string): void;
  /** Ends all waits, and accepts no more. */
  stop(): void;
  readonly isStopped: boolean;
}

interface WaitingNeeds {
  readonly store: Store;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** How often this process reads while somebody waits. */
const LOOK_MS = 500;
/** Entries of different shards, and servers with different clocks, are not ordered by time. */
const OVERLAP_MS = 1_000;

export function createWaiting({ store, timers, logger }: WaitingNeeds): Waiting {
  const waiters = new Map<string, Set<() => void>>();
  let isStopped = false;
  let cancelLook: (() => void) | undefined;
  let sinceAt = 0;

  const ring = (id: string) => {
    for (const wake of [...(waiters.get(id) ?? [])]) wake();
  };

  async function look(): Promise<void> {
    const startedAt = store.now();
    const seen = new Set<string>();
    for await (const { record } of store.readAudit({ sinceAt })) {
      if (record !== null && waiters.has(record)) seen.add(record);
    }
    sinceAt = startedAt - OVERLAP_MS;
    for (const id of seen) ring(id);
  }

  function lookLater(): void {
    cancelLook = timers.after(LOOK_MS, () => {
      look()
        .catch((error: unknown) => {
          // Callers read the record at the end anyway.
          if (!(error instanceof StoreError)) throw error;
          logger.warn({ err: error }, 'could not look for changed approvals');
        })
        .finally(() => {
          cancelLook = undefined;
          if (waiters.size > 0 && !isStopped) lookLater();
        });
    });
  }

  return {
    news(id, ms) {
      if (isStopped || ms <= 0) return Promise.resolve();
      return new Promise((resolve) => {
        const wake = () => {
          cancel();
          const others = waiters.get(id);
          others?.delete(wake);
          if (others?.size === 0) waiters.delete(id);
          resolve();
        };
        const cancel = timers.after(ms, wake);
        waiters.set(id, (waiters.get(id) ?? new Set()).add(wake));
        if (cancelLook !== undefined) return;
        sinceAt = store.now() - OVERLAP_MS;
        lookLater();
      });
    },
    saved: ring,
    stop() {
      isStopped = true;
      cancelLook?.();
      for (const id of [...waiters.keys()]) ring(id);
    },
    get isStopped() {
      return isStopped;
    },
  };
}
