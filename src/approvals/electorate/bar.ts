import type { Core } from '../../core/core.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Approval } from '../approval.ts';
import type { Terms } from './terms.ts';

/**
 * What keeps everybody's approval from counting for a while: one shape, a file each, in one table (`BARS` in
 * `electorate.ts`). A clause says that it is on; `decision/bars.ts` carries it out, and `tell/message` has its words.
 */
export interface BarRules<Step, Result> {
  /** Its member of a request's details, for programs. */
  readonly member: string;
  /** As it was last read; undefined: it is off. */
  known(approval: Approval): Barred | undefined;
  /** When clocks stood still, or do, because of it, in order. */
  stops(request: Partial<Approval>): readonly Stop[];
  /** When it last ended; undefined: it has not, or is on again. */
  endedAt(approval: Approval): number | undefined;
  /** Notes that an approval which would have been enough was spent. */
  spent(approval: Approval): Approval;
  /** The signal after which it is read again. */
  readonly signal: keyof BarSignals;
  changed(approval: Approval, changedAt: number): Approval;
  /** The store did not answer. */
  isUnread(approval: Approval): boolean;
  /** The step that reads it now; when that is due at each moment, absent: never. */
  step(approval: Approval, now: number): Step;
  readonly due: {
    readonly [When in Moment]?: (approval: Approval, terms: Terms, now: number) => Due<Step>;
  };
  execute(core: Core, id: string, approval: Approval, step: Step): Promise<Result>;
  /** The same approval: an older reading. `isRead`: the store answered. */
  apply(
    approval: Approval,
    step: Step,
    result: Result,
    terms: Terms,
    now: number,
  ): { readonly data: Approval; readonly isRead: boolean };
}

/**
 * changed: before anything else. post: before anybody is mentioned. send: right before a decision is sent, with nothing
 * in between. press: before somebody's press is authorized. later: nobody waits for it.
 */
export type Moment = 'changed' | 'post' | 'send' | 'press' | 'later';

/** Codes: a bar adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: bars add to it
export interface Bars {}

/** A bar adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: bars add to it
export interface BarSignals {}

/** What messages show of it; equal facts look the same. A bar adds its own. */
// biome-ignore lint/suspicious/noEmptyInterface: bars add to it
export interface BarFacts {}

/** What is said about it. */
export interface Barred {
  /** Exclusive. */
  readonly until: number;
  /** Other people's text, one line. */
  readonly why: string;
}

/** One that is on. `code`: of its words, and in the audit log. */
export interface Bar extends Barred {
  readonly code: keyof Bars;
  /** A requester's own approval, of which everybody else is told first, counts nevertheless. */
  readonly allowsLoud: boolean;
  readonly facts: BarFacts;
}

export type Stop = readonly [from: number, to: number];

/** When a clock that stands still in these times shows that time. */
export function clockShows(stops: readonly Stop[], at: number): number {
  return stops.reduce((shown, [from, to]) => (shown >= from ? shown + to - from : shown), at);
}
