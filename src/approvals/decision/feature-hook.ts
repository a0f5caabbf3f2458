import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import type { Approval } from '../approval.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import type { Terms } from '../electorate/terms.ts';
import type { FeatureSignals } from './signal.ts';
import type { Statement } from './statement.ts';

/** What a feature adds to the course of a decision: one shape, a file each, in one table (`feature-hooks.ts`). */
export interface FeatureHooks {
  /** For people who decided, of a request that was withdrawn for its sake; undefined: it was not. */
  withdrawn?(approval: Approval): Statement | undefined;
  /** Its signal that keeps a decision from being sent. */
  readonly callsOff?: keyof FeatureSignals;
  /** To what the message shows of an outcome, or of a withdrawn request. */
  decided?(approval: Approval, now: number): DecidedFacts | undefined;
  left?(approval: Approval): WithdrawnFacts | undefined;
  /** When that changes without anything else happening; undefined: never. */
  changesAt?(approval: Approval): number | undefined;
  /** Whether lists show the two differently. */
  isNews?(before: Approval, after: Approval): boolean;
  /** The store's lists that an open approval is on because of it. */
  lists?(approval: Approval): readonly string[];
}

/** A feature adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface DecidedFacts {}

/** A feature adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: features add to it
export interface WithdrawnFacts {}

/** Everything about one kind of step: also when it is due. */
export interface FeatureStepRules<Step, Result> extends StepRules<Step, Result> {
  due(approval: Approval, now: number): Due<Step>;
}

/** `withdraw.ts`, which asks the hooks itself. */
export type Withdraw = (
  approval: Approval,
  terms: Terms,
  at: number,
  more?: Withdrawing,
) => Applied<Approval>;

/** Why it is withdrawn, if its source does not just say so: for the record, and for the audit log. */
export interface Withdrawing {
  readonly why?: Partial<Approval>;
  readonly facts?: NewAuditEntry['facts'];
  /** Absent: its source. */
  readonly actor?: string;
}
