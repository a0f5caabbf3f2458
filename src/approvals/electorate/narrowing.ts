import type { NamedPeople } from '../../core/config/config.ts';
import type { Clause } from './clause.ts';

/** A request can name those of its route's reviewers who may decide it. */

declare module '../approval.ts' {
  interface Approval {
    /** The route's reviewers who may decide this request; absent: all of them. */
    readonly narrowedTo?: NamedPeople;
  }
}

export const narrowing: Clause<unknown> = {
  start: () => ({}),

  shape: (_, { narrowedTo }) =>
    narrowedTo && { asked: { ...narrowedTo, channel: false }, isNarrowed: true },

  rules: () => [],
};
