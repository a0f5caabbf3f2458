import type { Rate } from '../store.ts';

/** The slots of this process alone, for while the server of those that all share is away. */
export class OwnSlots {
  readonly #usedUntil = new Map<string, number>();

  /** As `RateLimiter.pace`; `now` is the store's time. */
  take(name: string, { intervalMs, burst, onlyNow }: Rate, now: number): number {
    for (const [each, until] of this.#usedUntil) if (until <= now) this.#usedUntil.delete(each);
    const usedUntil = this.#usedUntil.get(name) ?? now;
    const slotAt = Math.max(now, usedUntil - (burst - 1) * intervalMs);
    if (onlyNow !== true || slotAt <= now) this.#usedUntil.set(name, usedUntil + intervalMs);
    return Math.ceil(slotAt - now);
  }
}
