import type { Applied } from '../../core/engine/flow.ts';
import { type Approval, type Ballot, isOpen } from '../approval.ts';
import type { FeatureHooks } from './feature-hook.ts';

declare module './signal.ts' {
  interface FeatureSignals {
    /** Somebody whom it may ask left or came back. */
    readonly absences: unknown;
  }
}

/** Whoever decides in an absent person's place is named together with that person. */
export const substitution: FeatureHooks = {
  cast: (ballots) => placesIn(ballots.flatMap(({ user, for: giver }) => pairOf(user, giver?.user))),

  unconfirmed({ ballots }, { action, by }) {
    const giver = ballots.find((each) => each.action === action && each.user === by)?.for;
    return giver === undefined ? {} : { for: giver.user };
  },

  creditOf: (sent) => placesIn(sent.flatMap(({ by, for: giver }) => pairOf(by, giver))),
};

type Pair = readonly [user: string, giver: string];

function pairOf(user: Ballot['user'], giver: string | undefined): readonly Pair[] {
  return giver === undefined ? [] : [[user, giver]];
}

function placesIn(pairs: readonly Pair[]) {
  return pairs.length === 0 ? {} : { for: Object.fromEntries(pairs) };
}

/** Somebody whom it may ask left or came back. */
export function receiveAbsences(
  approval: Approval,
  _body: unknown,
  _terms: unknown,
  changedAt: number,
): Applied<Approval> {
  const { absent = { at: approval.createdAt } } = approval;
  if (!isOpen(approval)) return { data: approval };
  return { data: { ...approval, absent: { ...absent, changedAt } } };
}
