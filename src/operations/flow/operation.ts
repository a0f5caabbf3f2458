/**
 * What one person asks the service to do once: ask (`ask.ts`), check that they can, send once, read back
 * where the answer was lost (`progress.ts`), and report (`report.ts`). Moves, test cases and account changes
 * are tables of functions for it.
 */

import { isUntold, type Report, type ReportViews } from './report.ts';
import type { Authorization, OperationTypes, OutcomeOf, Progress, Rules } from './rules.ts';
import { isUnauthorized } from './sending.ts';

/**
 * Something that a person asked for once: everything Gatepost knows of it, as the store keeps it. All times
 * are milliseconds on the store's clock.
 */
export interface OperationRecord<T extends OperationTypes> extends Report, Progress<T> {
  readonly v: 1;
  /** Whether a channel is told. */
  readonly announce: boolean;
  /** How often the person had it sent again: what they press belongs to what they saw then. */
  readonly run: number;
  /** Administrators were told of how it ended. */
  readonly alerted?: true;
  /** What helps next time is kept. */
  readonly remembered?: true;
  /** The part of the store that keeps it was away. */
  readonly rememberAt?: number;
}

/** What the person is shown: two equal states look the same. */
export type OperationState<T extends OperationTypes> =
  /** Whether the person may is not known yet, so nothing is promised. */
  | { readonly state: 'authorizing' }
  | { readonly state: 'working' }
  /** The service did not answer; what became of it is read. */
  | { readonly state: 'reading-back' }
  | {
      readonly state: 'done';
      readonly outcome: OutcomeOf<T>;
      /** An earlier sending may have done it all the same. */
      readonly unconfirmed?: true;
      /** The channel could not be told. */
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
  // as: written by `encodeOperation` alone
  const record = JSON.parse(text) as OperationRecord<T>;
  if (record.v !== 1)
    throw new Error(`a record of kind ${kind} is kept in a form that is not known`);
  return record;
}

/** The table that a kind of operation is. */
export interface Operation<T extends OperationTypes> {
  readonly rules: Rules<T>;
  /** Finds out whether the person may; `id` is the record's. Within `Timing.stepMs`. */
  authorize(progress: Progress<T>, id: string): Promise<Authorization<T>>;
  /** Reads it; a call that fails throws RemoteFailure. null: there is no key for the service. */
  readonly read?: ((progress: Progress<T>, limits: Limits) => Promise<T['reading']>) | null;
  /** Sends it, once; a call that fails throws RemoteFailure. null: there is no key for the service. */
  readonly send: ((wish: T['wish'], limits: Limits) => Promise<T['answer']>) | null;
  /** Keeps what helps next time, before anybody reads that it was done, unless the store is away. Throws StoreError. */
  remember?(record: OperationRecord<T>): Promise<void>;
  /** Administrators are told of these ends, once for each sending that the person wanted. */
  readonly alert?: { readonly code: OutcomeOf<T>['code']; raise(): Promise<void> };
  /** How people are told; without it nobody is. */
  readonly report?: Reporting<T>;
  /** How long one that is done is kept. */
  readonly keepMs: number;
}

export interface Reporting<T extends OperationTypes>
  extends ReportViews<OperationRecord<T>, OperationState<T>> {
  /** The announcement says all that the person has to know: where they asked, nothing else is said. */
  readonly announcesAll?: true;
}

export interface Limits {
  readonly deadlineMs: number;
}
