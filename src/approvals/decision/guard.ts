import type { Route } from '../../core/config/config.ts';
import type { RoutePieces } from '../../core/config/file.ts';
import type { Approval, Credit, Decision, GuardPhases, WaitsFor } from '../approval.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import type { Terms } from '../electorate/terms.ts';
import type { Statement } from './statement.ts';

/**
 * What may stand between enough approvals and the moment their decision is sent: one shape, a file each, in one table
 * (`guards.ts`).
 */
export interface Guard {
  /** Its keys of a route. */
  readonly pieces?: Partial<RoutePieces>;
  /** How the decision begins if it applies to this complete approval. */
  begin?(approval: Approval, terms: Pick<Terms, 'route'>, now: number): Begun | undefined;
  /** Until this is done, nothing goes ahead with the decision; undefined: it is. */
  waitsFor?(approval: Approval): WaitsFor | undefined;
  /** What another guard waited for is done: its own time begins now; undefined: nothing changes. */
  goAhead?(approval: Approval, now: number): Approval | undefined;
  /** To who decided, of a decision that becomes the outcome. */
  credit?(approval: Approval): CreditFacts;
  /** In its phase it waits in pieces; after each of them a press can call it off. */
  pause?(decision: Decision): Pause | undefined;
  /** What a person sees while the decision is in its phase, or has just left it. */
  shown?(decision: Decision, approved: Approved): GuardState | undefined;
  /** For whoever approves meanwhile; `counts`: so does their approval. */
  meanwhile?(decision: Decision, counts: boolean, now: number): Statement;
  /** Whether a decision that it applied to can be undone until it is sent. */
  canBeUndone?(decision: Decision): boolean;
  /** Whether decisions on this route can be undone. */
  isOn?(route: Route): boolean;
  /** For the author of a decision that is not sent, because the store may have lost that it was undone. */
  readonly lost?: Statement;
}

export type Begun = Pick<Decision, 'phase'> & Partial<Decision>;

/** What a message shows, by name: a guard adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: guards add to it
export interface GuardStates {}

export type GuardState = {
  readonly [Name in keyof GuardStates]: { readonly name: Name } & Approved & GuardStates[Name];
}[keyof GuardStates];

export type CreditFacts = Omit<Credit, 'credit' | 'by'>;

/** Who approved. */
export interface Approved extends CreditFacts {
  readonly approvedBy: readonly string[];
}

/** Wait for a while, as the guard of this phase. */
export type Pause = {
  readonly [Name in keyof GuardPhases]: { readonly kind: Name; readonly ms: number };
}[keyof GuardPhases];

export type PauseRules = StepRules<Pause, { readonly kind: 'waited'; readonly ms: number }>;
