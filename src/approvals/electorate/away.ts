import { flag } from '../../core/config/values.ts';
import type { Clause, WhoIsAway } from './clause.ts';

/** Who of the people asked is away, as read when they were last asked: `find-absent.ts`. Substitutes are asked instead. */

declare module '../approval.ts' {
  interface Absent extends WhoIsAway {}
}

declare module '../../core/config/file.ts' {
  interface RouteMembers {
    /** Absent people can name a substitute who decides for them. */
    readonly substitutes: boolean;
  }
}

type AwayRule =
  | {
      readonly code: 'away';
      readonly user: string;
      readonly until: number;
      readonly substitute?: string;
    }
  | { readonly code: 'substitutes' };

export const away: Clause<unknown, AwayRule> = {
  pieces: { substitutes: flag.default(false) },

  start: ({ route }) => ({ hasSubstitutes: route?.substitutes === true }),

  shape: (_, { absent: { people, groups = {} } = {} }) =>
    people && { away: people, membersOf: groups },

  rules({ away, hasSubstitutes: isAllowed }) {
    const people = away.map(({ ids, until, substitute }) => ({
      ...({ code: 'away', user: ids.at(-1) ?? '', until } as const),
      ...(isAllowed && substitute !== undefined && { substitute }),
    }));
    return isAllowed ? [...people, { code: 'substitutes' }] : people;
  },
};
