/**
 * The loop: the lease holder of a record plans, executes and applies steps until nothing is due (`lease-session.ts`);
 * the reconciler finds due records and leases them (`reconciler.ts`). What a kind of record does is a `Flow`, this
 * file; the engine knows none of them.
 */

import type { FailureFacts } from '../lib/failure.ts';
import type { Lane, NewAuditEntry, Place, Signal } from '../store/store.ts';

/**
 * The behaviour of one kind of record: pure functions, and `execute`, the only one that calls other systems. A lease
 * session runs them in turn: receive the signals, plan, mark the attempt, execute, apply the result, until nothing is
 * due.
 */
export interface Flow<Data, Step extends Named, Result extends Named> {
  readonly kind: string;
  /** `place`: where the record's message is, as `placeOf` returned it. */
  decode(text: string, place: Place | null): Data;
  encode(data: Data): string;
  /** Where the record's message is, so that the store can check where a click came from. */
  placeOf?(data: Data): Place | null;
  /** The store's lists that the record belongs to. Default: none. */
  listsOf?(data: Data): readonly string[];
  /** Applies a signal from outside. */
  receive(data: Data, signal: Signal, now: number): Applied<Data>;
  /**
   * Whether the signal may cancel a step whose attempt was just saved: if so it is received before the step is
   * executed.
   */
  callsOff?(signal: Signal, step: Step): boolean;
  /** What to do next. Pure. */
  plan(data: Data, now: number): Plan<Step>;
  /**
   * Notes an attempt at the step, to be saved before it is executed. Undefined for a step that changes nothing
   * elsewhere.
   */
  markAttempt(data: Data, step: Step, now: number): MarkedAttempt<Data> | undefined;
  /**
   * Makes the step's external call, within `Timing.stepMs`; `id` is the record's. A failed call is a result, not an
   * error. A StoreError it throws makes the step due again after `STORE_AGAIN_MS`.
   */
  execute(data: Data, step: Step, id: string): Promise<Result>;
  /** Applies a result, which may be late or repeated unless `isTooLate` rules that out. */
  apply(data: Data, step: Step, result: Result, now: number): Applied<Data>;
  /** Whether the step's result is worthless once another worker holds the record. */
  isTooLate?(step: Step): boolean;
  /**
   * Whether the save itself decides: the change can be looked up nowhere else, and people see it at once. It has to
   * survive a failover of the store, and is not saved later than it was decided.
   */
  mustLast?(noted: Data, learned: Data): boolean;
  /** For metrics and logs, where the kinds of step and result are not enough. */
  describe?(step: Step, result: Result): StepFacts;
  /** What to do with results once the record is gone; `noted`: the record as last saved. */
  lastWord?(learned: Data, noted: Data, id: string, now: number): LastWord;
}

export interface Named {
  /** A word of the code. */
  readonly kind: string;
}

/** The signal that carries a result to the record's new lease holder. */
export function resultSignal(step: Named, result: Named): string {
  return JSON.stringify({ kind: 'result', step, result });
}

/** The result that a signal carries; undefined: the signal comes from outside. */
export function resultIn({ body }: Signal): { step: unknown; result: unknown } | undefined {
  return RESULT.test(body) ? JSON.parse(body) : undefined;
}

/** Signals of other versions may lack the kind. */
const RESULT = /^\{("kind":"result",)?"step":/;

export interface LastWord {
  /** For the log: words of the code, never other people's text. */
  readonly facts: Readonly<Record<string, string>>;
  /** Tells people, once if possible. Never rejects. */
  show(): Promise<void>;
}

export interface StepFacts {
  /** A word of the code. */
  readonly step: string;
  /** A value from another system that the code does not know. */
  readonly result: string;
  /** How the call failed. */
  readonly failure?: FailureFacts;
  /** A word of another system that nothing here knows. */
  readonly unknownWord?: string;
}

export interface Applied<Data> {
  readonly data: Data;
  readonly audit?: readonly NewAuditEntry[];
}

export interface MarkedAttempt<Data> extends Applied<Data> {
  /** The effect cannot always be looked up, so the note has to be stored durably. */
  readonly durable?: boolean;
  /** What became of it may be known by its result alone, which is saved before the next step begins. */
  readonly savesResult?: true;
}

export type Plan<Step> =
  | {
      readonly kind: 'step';
      readonly step: Step;
      /** Executed at the same time: independent of each other, each with its attempt saved first. */
      readonly beside?: readonly Step[];
    }
  | { readonly kind: 'wait'; readonly until: number; readonly lane: Lane }
  /** Nothing is left to do; the record is kept for `keepMs` for late clicks and readers. */
  | { readonly kind: 'finish'; readonly keepMs: number };

/** The shortest wait. */
export const SHORTEST_WAIT_MS = 250;
/** How long a step waits after another part of the store was unavailable. */
export const STORE_AGAIN_MS = 5_000;
