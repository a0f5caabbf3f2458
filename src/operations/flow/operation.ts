/**
 * What one person asks the service to do once: ask (`ask.ts`), authorize, send once, read back after a lost answer
 * (`progress.ts`), and report (`report.ts`). Moves, test cases and account changes each supply a table of functions.
 */

import { isUntold, type Report, type ReportViews } from './report.ts';
import type { Authorization, OperationTypes, OutcomeOf, Progress, Rules } from './rules.ts';
import { isUnauthorized } from './sending.ts';

/**
 * An operation that a person asked for: everything Gatepost knows about it, as stored. All times are milliseconds on
 * the store's clock.
 */
export interface OperationRecord<T extends OperationTypes> extends Report, Progress<T> {
  readonly v: 1;
  /** Whether it is announced in a channel. */
  readonly announce: boolean;
  /** How many times the person had it repeated: a press belongs to the run that they saw. */
  readonly run: number;
  /** Administrators were alerted about its end. */
  readonly alerted?: true;
  /** Suggestions for the next time were stored. */
  readonly remembered?: true;
  /** When to try that again after part of the store was unavailable. */
  readonly rememberAt?: number;
}

/** The state shown to the person: equal states render the same. */
export type OperationState<T extends OperationTypes> =
  /** Not authorized yet, so nothing is promised. */
  | { readonly state: 'authorizing' }
  | { readonly state: 'working' }
  /** The service did not answer; the effect is being read. */
  | { readonly state: 'reading-back' }
  | {
      readonly state: 'done';
      readonly outcome: OutcomeOf<T>;
      /** An earlier call may have done it anyway. */
      readonly unconfirmed?: true;
      /** It could not be announced in the channel. */
      readonly untold?: true;
    };

export function stateOf<T extends OperationTypes>(record: OperationRecord<T>): OperationState<T> {
  const { phase, outcome, unconfirmed } = record;
  if (phase.name === 'done' && outcome !== undefined) {
    return {
      state: 'done',
      outcome,
      ...(unconfirmed !== undefined && { unconfirmed: true as const }),
      ...(isUntold(record) && { untold: true as const }),
    };
  }
  if (isUnauthorized(phase)) return { state: 'authorizing' };
  const isLost = phase.name === 'read-back' && phase.why === 'lost';
  return { state: isLost ? 'reading-back' : 'working' };
}

export function encodeOperation<T extends OperationTypes>(record: OperationRecord<T>): string {
  return JSON.stringify(record);
}

export function decodeOperation<T extends OperationTypes>(
  { kind }: Rules<T>,
  text: string,
): OperationRecord<T> {
  // as: only `encodeOperation` writes it
  const record = JSON.parse(text) as OperationRecord<T>;
  if (record.v !== 1) throw new Error(`a record of kind ${kind} is stored in an unknown format`);
  return record;
}

/** A kind of operation, as a table of functions. */
export interface Operation<T extends OperationTypes> {
  readonly rules: Rules<T>;
  /** Authorizes the person; `id` is the record's. Within `Timing.stepMs`. */
  authorize(progress: Progress<T>, id: string): Promise<Authorization<T>>;
  /** Reads the target; a failed call throws RemoteFailure. null: there is no key for the service. */
  readonly read?: ((progress: Progress<T>, limits: Limits) => Promise<T['reading']>) | null;
  /** Sends it, once; a failed call throws RemoteFailure. null: there is no key for the service. */
  readonly send: ((wish: T['wish'], limits: Limits) => Promise<T['answer']>) | null;
  /**
   * Stores suggestions for the next time, before anybody reads that it was done, unless the store is unavailable.
   * Throws StoreError.
   */
  remember?(progress: Progress<T>): Promise<void>;
  /** Alerts administrators after this outcome, once for each run. */
  readonly alert?: { readonly code: OutcomeOf<T>['code']; raise(): Promise<void> };
  /** How people are told; absent: nobody is. */
  readonly report?: Reporting<T>;
  /** How long a finished one is kept. */
  readonly keepMs: number;
}

export interface Reporting<T extends OperationTypes>
  extends ReportViews<OperationRecord<T>, OperationState<T>> {
  /** The announcement says everything: posted where the person asked, it replaces their result. */
  readonly announcesAll?: true;
}

export interface Limits {
  readonly deadlineMs: number;
}
