/**
 * The loop: whoever holds the lease of a record plans, executes and applies steps until nothing is due
 * (`lease-session.ts`); records that are due are found and given out (`reconciler.ts`). What a kind of
 * record does is a `Flow`, this file; the engine knows none of them.
 */

import type { FailureFacts } from '../lib/failure.ts';
import type { Lane, NewAuditEntry, Place, Signal } from '../store/store.ts';

/**
 * How one kind of record lives: pure rules, and one function that calls others (`execute`).
 *
 * A lease session calls them in turn: receive the signals, plan, mark the attempt, execute, apply the
 * result, until the plan says that nothing is due.
 */
export interface Flow<Data, Step extends Named, Result extends Named> {
  readonly kind: string;
  /** `place`: where the record stands, as `placeOf` said. */
  decode(text: string, place: Place | null): Data;
  encode(data: Data): string;
  /** Where the record's message stands, so that the store can check where a click came from. */
  placeOf?(data: Data): Place | null;
  /** Names of the store's lists that the record is to stand on; without it, on none. */
  listsOf?(data: Data): readonly string[];
  /** Takes a signal from outside in. */
  receive(data: Data, signal: Signal, now: number): Applied<Data>;
  /** Whether a signal can call off a step that is about to be tried, so that it is taken in before. */
  callsOff?(signal: Signal, step: Step): boolean;
  /** What to do next. Pure. */
  plan(data: Data, now: number): Plan<Step>;
  /**
   * Notes that the step is about to be tried, to be saved before it is. Undefined for a step that
   * changes nothing elsewhere, which needs no note.
   */
  markAttempt(data: Data, step: Step, now: number): MarkedAttempt<Data> | undefined;
  /**
   * Makes the step's external call, within `Timing.stepMs`; `id` is the record's. A failed call is a result, not an
   * error. What it throws of a StoreError is tried again after `STORE_AGAIN_MS`, as it is due then.
   */
  execute(data: Data, step: Step, id: string): Promise<Result>;
  /** Applies a result. It must also make sense of one that comes late or twice, unless `isTooLate` says that it cannot. */
  apply(data: Data, step: Step, result: Result, now: number): Applied<Data>;
  /** Whether a result of the step says nothing once somebody else holds the record. */
  isTooLate?(step: Step): boolean;
  /** Whether what is learned is known nowhere else and told elsewhere at once, so that its save has to last. */
  mustLast?(noted: Data, learned: Data): boolean;
  /** For metrics and logs, where the kinds of step and result do not say it. */
  describe?(step: Step, result: Result): StepFacts;
  /** What to do with results once the record is gone; `noted`: as it was last saved. */
  lastWord?(learned: Data, noted: Data, id: string, now: number): LastWord;
}

/** What a step, or a result, is. */
export interface Named {
  /** A word of the code. */
  readonly kind: string;
}

/** The signal that carries a result to whoever holds the record now. */
export function resultSignal(step: Named, result: Named): string {
  return JSON.stringify({ kind: 'result', step, result });
}

/** The result that a signal carries; undefined: it comes from outside. */
export function resultIn({ body }: Signal): { step: unknown; result: unknown } | undefined {
  return RESULT.test(body) ? JSON.parse(body) : undefined;
}

/** Other versions leave its kind out of some. */
const RESULT = /^\{("kind":"result",)?"step":/;

export interface LastWord {
  /** For the log: words of the code. */
  readonly facts: Readonly<Record<string, string>>;
  /** Tells people, as well as it can be done once. Never rejects. */
  show(): Promise<void>;
}

export interface StepFacts {
  /** A word of the code. */
  readonly step: string;
  /** A word of the code. */
  readonly result: string;
  /** What another system failed of. */
  readonly failure?: FailureFacts;
  /** A word of another system that nothing here knows. */
  readonly unknownWord?: string;
}

export interface Applied<Data> {
  readonly data: Data;
  readonly audit?: readonly NewAuditEntry[];
}

/** The note of an attempt. */
export interface MarkedAttempt<Data> extends Applied<Data> {
  /** The effect cannot always be looked up: the note has to be as safe as the store can make it. */
  readonly durable?: boolean;
}

export type Plan<Step> =
  | {
      readonly kind: 'step';
      readonly step: Step;
      /** Executed at the same time: none of them depends on another, and each is noted first. */
      readonly beside?: readonly Step[];
    }
  | { readonly kind: 'wait'; readonly until: number; readonly lane: Lane }
  /** Nothing is left to do; the record is kept for `keepMs` for late clicks and readers. */
  | { readonly kind: 'finish'; readonly keepMs: number };

/** The shortest wait. */
export const SHORTEST_WAIT_MS = 250;
/** When a step is tried again that needed a part of the store that was away, and its record was not. */
export const STORE_AGAIN_MS = 5_000;
