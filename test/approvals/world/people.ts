import type { Route } from '../../../src/core/config/config.ts';
import type { Core } from '../../../src/core/core.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import type { Lookup, PeopleLookup } from '../../../src/core/slack/lookup.ts';
import { fake } from '../../support/fake.ts';
import { personOf } from '../../support/slack-person.ts';
import { routeWith } from '../approvals.ts';

/** The people who click: only Ana, Ben and Cleo can decide. */
export const PEOPLE = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0EVE', 'U0GUS', 'U0DAN'] as const;
export type Person = (typeof PEOPLE)[number];

export const REQUESTER = { email: 'rita@example.com', user: 'U0RITA' };

export function routeOf({ quorum }: { readonly quorum: number }): Route {
  return routeWith({
    outcomes: { thread: true, channel: 'C0OUT', requester: true },
    reviewers: { users: ['U0ANA', 'U0BEN', 'U0GUS', 'U0DAN'], groups: ['S0OPS'], channel: false },
    quorum,
  });
}

/** Everybody's account in the service; Dan's is not active. */
const ACCOUNTS: Readonly<Record<string, string>> = {
  U0ANA: 'user-ana',
  U0BEN: 'user-ben',
  U0CLEO: 'user-cleo',
  U0EVE: 'user-eve',
  U0GUS: 'user-gus',
};

/** Service users of those who can decide. */
export const SERVICE_USERS: Readonly<Record<string, string>> = {
  U0ANA: 'user-ana',
  U0BEN: 'user-ben',
  U0CLEO: 'user-cleo',
};

/** What Slack and the service know about people; `ask` makes each call take its course. */
export function knownPeople(
  ask: <Value>(read: () => Value) => Promise<Value>,
  isActive: (id: string) => boolean,
): Pick<Core, 'lookup' | 'directory' | 'workspace' | 'timing'> {
  const people: PeopleLookup = {
    person: (id) => ask(() => ({ ...personOf(id), isGuest: id === 'U0GUS' })),
    isMember: () => ask(() => true),
    groupMembers: () => ask(() => ({ users: ['U0CLEO'], missing: null })),
  };
  return {
    lookup: fake<Lookup>({ ...people, lastSeen: () => undefined, recent: people, known: people }),
    directory: fake<Directory>({
      readAhead() {},
      serviceUserFor: ({ id }) =>
        ask(() => {
          const userId = ACCOUNTS[id];
          const identity =
            userId === undefined || !isActive(id)
              ? ({ kind: 'inactive' } as const)
              : ({ kind: 'linked', userId, active: true } as const);
          return { identity, address: `${id}@example.com`, account: null, alsoKnownAs: [] };
        }),
    }),
    workspace: { team: 'T0', enterprise: null, teams: [] },
    timing: TRUE_TIME,
  };
}
