import type { Approval, Ballot, Credit, Decision, Unconfirmed } from '../approval.ts';
import type { PartSignals } from './signal.ts';
import type { Statement } from './statement.ts';

/** What a feature adds to the course of a decision: one shape, a file each, in one table (`parts.ts`). */
export interface Part {
  /** To whose ballots these are. */
  cast?(ballots: readonly Ballot[]): CreditFacts;
  /** To what is kept of a decision whose effect is unknown, and from there to who decided. */
  unconfirmed?(approval: Approval, decision: Decision): Partial<Unconfirmed>;
  creditOf?(sent: readonly Unconfirmed[]): CreditFacts;
  /** For people who decided, of a request that was withdrawn for its sake; undefined: it was not. */
  withdrawn?(approval: Approval): Statement | undefined;
  /** Its signal that keeps a decision from being sent. */
  readonly callsOff?: keyof PartSignals;
  /** The store's lists that an open approval is on because of it. */
  lists?(approval: Approval): readonly string[];
}

export type CreditFacts = Omit<Credit, 'credit' | 'by'>;
