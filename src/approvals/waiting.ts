import type { Logger } from '../core/engine/reconciler.ts';
import type { Timers } from '../core/lib/timers.ts';
import { type Store, StoreError } from '../core/store/store.ts';

/**
 * Requests that wait for news of an approval. What this process saves is passed on at once; what other
 * replicas save is found in the audit log, which holds every step towards an end: one look for all who wait.
 */
export interface Waiting {
  /** Resolves when something new may be known of the approval, or in `ms`, or when the process ends. */
  news(id: string, ms: number): Promise<void>;
  /** This process has saved it. */
  saved(id: string): void;
  /** Nobody waits any more, from now on. */
  stop(): void;
  readonly isStopped: boolean;
}

interface WaitingNeeds {
  readonly store: Store;
  readonly timers: Timers;
  readonly logger: Logger;
}

/** How often this process looks while somebody waits. */
const LOOK_MS = 500;
/** Entries of shards, and of servers whose clocks differ, do not come in the order of their times. */
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
          // Whoever waits reads the record in the end all the same.
          if (!(error instanceof StoreError)) throw error;
          logger.warn({ err: error }, 'could not look for news of approvals');
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
