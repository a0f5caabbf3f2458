import type { Clock } from '../lib/clock.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { CallLimits } from '../service/transport.ts';

const HIT_LIFETIME_MS = 5 * 60_000;
const MISS_LIFETIME_MS = 30_000;
const MAX_ENTRIES = 10_000;

export interface FinderNeeds {
  readonly users: { findByEmail(email: string, limits?: CallLimits): Promise<UserMatch> };
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly maxEntries?: number;
}

export interface Freshness {
  /** An answer that was asked for longer ago is not given again. */
  readonly maxAgeMs: number;
}

/** Finds the account with an address. Throws RemoteFailure. */
export type FindAccount = (
  address: string,
  freshness: Freshness,
  limits: CallLimits,
) => Promise<UserMatch>;

/** Asks once for all who want to know; remembers found accounts for 5 minutes, others for 30 seconds. */
export function createFinder({ users, clock, maxEntries = MAX_ENTRIES }: FinderNeeds): FindAccount {
  const matches = createSharedCache<UserMatch>({
    lifetimeMs: ({ kind }) => (kind === 'found' ? HIT_LIFETIME_MS : MISS_LIFETIME_MS),
    maxEntries,
    clock,
  });
  return (address, { maxAgeMs }, limits) => {
    const { deadlineMs } = limits;
    // It goes on when the caller that began it gives up: others may be waiting for the answer.
    const ask = () => users.findByEmail(address, deadlineMs === undefined ? {} : { deadlineMs });
    return waitFor(matches.get(address, ask, maxAgeMs), 'find user', limits);
  };
}
