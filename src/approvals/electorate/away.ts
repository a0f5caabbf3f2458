import type { Clause } from './clause.ts';

/** Who of the people asked is away, as read when they were last asked: `find-absent.ts`. Substitutes are asked instead. */

declare module '../approval.ts' {
  interface Absent {
    readonly people?: readonly AbsentPerson[];
    /** The members of user groups in which somebody is away, by Slack user id. */
    readonly groups?: Readonly<Record<string, readonly string[]>>;
  }
}

export interface AbsentPerson {
  /** Slack user ids. */
  readonly ids: readonly string[];
  readonly until: number;
  /** Decides in their place. */
  readonly substitute?: string;
}

export interface Away {
  readonly away: readonly AbsentPerson[];
  /** The members of user groups in which somebody is away, who are asked instead of the group. */
  readonly membersOf: Readonly<Record<string, readonly string[]>>;
}

type AwayRule =
  | {
      readonly code: 'away';
      readonly user: string;
      readonly until: number;
      readonly substitute?: string;
    }
  | { readonly code: 'substitutes' };

export const away: Clause<Away, AwayRule> = {
  start: () => ({ away: [], membersOf: {} }),

  shape: (_, { absent: { people, groups = {} } = {} }) =>
    people && { away: people, membersOf: groups },

  rules({ away, route }) {
    const isAllowed = route?.substitutes === true;
    const people = away.map(({ ids, until, substitute }) => ({
      ...({ code: 'away', user: ids.at(-1) ?? '', until } as const),
      ...(isAllowed && substitute !== undefined && { substitute }),
    }));
    return isAllowed ? [...people, { code: 'substitutes' }] : people;
  },
};

export function absenceOf({ away }: Away, user: string): AbsentPerson | undefined {
  return away.find(({ ids }) => ids.includes(user));
}
