import type { Clock } from '../lib/clock.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { CallLimits } from '../service/transport.ts';

/** So that whoever looks again and again does not ask the service each time. */
const RECENT_MS = 5_000;
const MAX_ENTRIES = 10_000;

export interface FinderNeeds {
  readonly users: { findByEmail(email: string, limits?: CallLimits): Promise<UserMatch> };
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maxEntries?: number;
}

/** How an account is read. */
export interface Reading extends CallLimits {
  /** What was asked for after this moment (monotonic) is shared. Default: now, so that nothing is. */
  readonly since?: number;
}

/** Both throw RemoteFailure. */
export interface Finder {
  /** The account with an address, read anew: nothing is decided by what is remembered. */
  find(address: string, reading?: Reading): Promise<UserMatch>;
  /** The same, up to 5 s old: for lists and for who only looks. */
  recent(address: string, limits?: CallLimits): Promise<UserMatch>;
}

/** Finds accounts by their addresses. */
export function createFinder({ users, clock, maxEntries = MAX_ENTRIES }: FinderNeeds): Finder {
  const matches = createSharedCache<UserMatch>({
    lifetimeMs: () => RECENT_MS,
    maxEntries,
    clock,
  });
  // It goes on when the caller that began it gives up: others may be waiting for the answer.
  const ask = (address: string, { deadlineMs }: CallLimits) =>
    users.findByEmail(address, deadlineMs === undefined ? {} : { deadlineMs });
  return {
    find: (address, { since = clock.monotonic(), ...limits } = {}) => {
      const answer = matches.getSince(since, address, () => ask(address, limits));
      return waitFor(answer, 'find user', limits);
    },
    recent: (address, limits = {}) =>
      waitFor(
        matches.get(address, () => ask(address, limits)),
        'find user',
        limits,
      ),
  };
}
