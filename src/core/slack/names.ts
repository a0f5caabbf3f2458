import type { MonotonicClock } from '../lib/clock.ts';
import { RemoteFailure } from '../lib/failure.ts';
import type { Lookup } from './lookup.ts';

/**
 * Display names by Slack user id, for programs, as far as they are known here. Nothing is waited for: who is
 * not known yet is asked for behind the answer, and has a name in the next one.
 */
export type Names = (users: readonly string[]) => Readonly<Record<string, string>>;

/** Slack tells of some hundred people a minute, and whoever presses a button comes first. */
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
      // Without a name there is the id.
      if (!(error instanceof RemoteFailure)) throw error;
    });
  }

  return (users) => {
    const named = [...new Set(users)].map((user) => [user, lookup.lastSeen(user)?.displayName]);
    for (const [user = '', name] of named) if (name === undefined) ask(user);
    return Object.fromEntries(named.filter(([, name]) => name !== undefined));
  };
}
