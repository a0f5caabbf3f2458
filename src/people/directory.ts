import type { Clock } from '../lib/clock.ts';
import { foldEmail } from '../lib/fold-email.ts';
import { createSharedCache } from '../lib/shared-cache.ts';
import { waitFor } from '../lib/wait-for.ts';
import type { UserMatch } from '../service/find-user.ts';
import type { CallLimits } from '../service/transport.ts';

const HIT_LIFETIME_MS = 5 * 60_000;
const MISS_LIFETIME_MS = 30_000;
const MAX_ENTRIES = 10_000;

/** Who a Slack person is in the service. */
export type Identity =
  /** `userId` null: none is to be sent. */
  | { readonly kind: 'linked'; readonly userId: string | null; readonly active: true }
  | { readonly kind: 'inactive' }
  /** Found, and the service does not say whether the account is active. */
  | { readonly kind: 'unknown-activity' }
  /** No account with their confirmed address, or no such address. */
  | { readonly kind: 'none' }
  | { readonly kind: 'several' }
  /** No override, and no way to look anybody up. */
  | { readonly kind: 'no-directory' };

export interface PersonToFind {
  readonly slackUserId: string;
  readonly email: string | null;
  /** Only true makes the address count; null is Slack's silence. */
  readonly emailConfirmed: boolean | null;
}

export interface Directory {
  /**
   * An override's id is used as it is: the interface has no way to look an id up (Interface 4.5), so
   * whether that account is active is not known here. Else the account with the person's address, not
   * older than `maxAgeMs`. Throws RemoteFailure when the lookup failed.
   */
  serviceUserFor(
    person: PersonToFind,
    freshness: { readonly maxAgeMs: number },
    limits?: CallLimits,
  ): Promise<Identity>;
}

export interface DirectoryNeeds {
  /** null: the service's list of users cannot be read. */
  readonly users: {
    findByEmail(email: string, limits?: CallLimits): Promise<UserMatch>;
  } | null;
  /** Service user ids by Slack user id. */
  readonly overrides: Readonly<Record<string, string>>;
  /** What the service takes as `userId` (Interface 4.4); default its own id. */
  readonly userId?: 'id' | 'externalId' | 'none';
  readonly clock: Clock;
  readonly maxEntries?: number;
}

/** Finds service users for Slack people; remembers found ones for 5 minutes, others for 30 seconds. */
export function createDirectory(needs: DirectoryNeeds): Directory {
  const { users, overrides, clock, maxEntries = MAX_ENTRIES } = needs;
  const matches = createSharedCache<UserMatch>({
    lifetimeMs: ({ kind }) => (kind === 'found' ? HIT_LIFETIME_MS : MISS_LIFETIME_MS),
    maxEntries,
    clock,
  });

  return {
    async serviceUserFor({ slackUserId, email, emailConfirmed }, { maxAgeMs }, limits = {}) {
      const override = Object.hasOwn(overrides, slackUserId) && overrides[slackUserId];
      if (override) return { kind: 'linked', userId: override, active: true };
      if (users === null) return { kind: 'no-directory' };
      const address = foldEmail(email ?? '');
      if (address === '' || emailConfirmed !== true) return { kind: 'none' };
      const { deadlineMs } = limits;
      // It goes on when the caller that began it gives up: others may be waiting for the answer.
      const ask = () => users.findByEmail(address, deadlineMs === undefined ? {} : { deadlineMs });
      const match = matches.get(address, ask, maxAgeMs);
      return identityOf(await waitFor(match, 'find user', limits), needs.userId ?? 'id');
    },
  };
}

function identityOf(match: UserMatch, sent: NonNullable<DirectoryNeeds['userId']>): Identity {
  if (match.kind !== 'found') return { kind: match.kind };
  const { id, externalId, active } = match.user;
  if (active === null) return { kind: 'unknown-activity' };
  if (!active) return { kind: 'inactive' };
  if (sent === 'none') return { kind: 'linked', userId: null, active };
  const userId = sent === 'id' ? id : externalId;
  // Without the id that the service goes by, the account cannot be named to it.
  return userId === null ? { kind: 'none' } : { kind: 'linked', userId, active };
}
