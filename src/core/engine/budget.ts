import type { RateLimiter } from '../store/store.ts';

/** The share of a minute's budget that may be spent at once after a restart or a quiet hour. */
const BURST_MINUTES = 0.25;

/** The store's name for this budget. */
export const BUDGET = 'polls';

/**
 * Reserves a slot for a call that nobody waits for: a poll, or one item of a batch. `perMinute` is shared by all such
 * calls of all replicas. Returns in how many milliseconds the slot begins. Throws StoreError.
 */
export async function takeBudgetSlot(store: RateLimiter, perMinute: number): Promise<number> {
  const burst = Math.max(1, Math.floor(perMinute * BURST_MINUTES));
  return store.pace(BUDGET, { intervalMs: 60_000 / perMinute, burst });
}
