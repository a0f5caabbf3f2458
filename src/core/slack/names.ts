import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { Lookup } from './lookup.ts';

/**
 * Display names by Slack user id, as far as known here, for programs. Returns at once: unknown names are looked up in
 * the background, for the next call.
 */
export type Names = (users: readonly string[]) => Readonly<Record<string, string>>;

/** Slack answers for about a hundred people a minute, and button presses need those calls first. */
const EVERY_MS = 2_000;
const BURST = 10;

export function createNames({
  lookup,
  clock,
}: {
  readonly lookup: Lookup;
  readonly clock: MonotonicClock;
}): Names {
  let slots = BURST;
  let countedAt = clock.monotonic();

  function takeSlot(): boolean {
    const now = clock.monotonic();
    slots = Math.min(BURST, slots + (now - countedAt) / EVERY_MS);
    countedAt = now;
    if (slots < 1) return false;
    slots -= 1;
    return true;
  }

  function ask(user: string): void {
    if (!takeSlot()) return;
    lookup.recent.person(user).catch((error: unknown) => {
      // The id is shown instead of the name.
      if (!(error instanceof RemoteFailure)) throw error;
    });
  }

  return (users) => {
    const named = [...new Set(users)].map((user) => [user, lookup.lastSeen(user)?.displayName]);
    for (const [user = '', name] of named) if (name === undefined) ask(user);
    return Object.fromEntries(named.filter(([, name]) => name !== undefined));
  };
}
