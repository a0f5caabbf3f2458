import type { RateLimiter } from '../store/store.ts';

/** A restart or a quiet hour may not be followed by more at once than this part of a minute's. */
const BURST_MINUTES = 0.25;

/** What the store calls the slots. */
export const BUDGET = 'polls';

/**
 * Takes a slot to ask the service for what nobody waits for at once: polls, and many of one kind. All
 * replicas and all of that together stay within `perMinute`. Gives in how many milliseconds the slot
 * comes. Throws StoreError.
 */
export async function takeBudgetSlot(store: RateLimiter, perMinute: number): Promise<number> {
  const burst = Math.max(1, Math.floor(perMinute * BURST_MINUTES));
  return store.pace(BUDGET, { intervalMs: 60_000 / perMinute, burst });
}
