/**
 * Several operations of one kind that a person asked for at once: one record, whose lines are sent one after the other
 * like single operations, each with its own outcome (`queue.ts`, `apply-batch.ts`). A direct message shows progress and
 * every result (`batch-message.ts`); its buttons repeat what did not succeed (`press-batch.ts`). After a crash, the next
 * process continues at the same line.
 */

import type { Operation } from '../flow/operation.ts';
import { isUntold, type Report, type ReportResult, type ReportStep } from '../flow/report.ts';
import type {
  AuditFacts,
  Authorization,
  OperationTypes,
  OutcomeOf,
  Progress,
  Read,
  Rules,
  Sent,
} from '../flow/rules.ts';
import { isUnauthorized } from '../flow/sending.ts';

/** A kind of batch: the pure part of its table. */
export interface Batch<T extends OperationTypes, R extends BatchRecord<T>> {
  /** Of its records. */
  readonly kind: string;
  readonly rules: Rules<T>;
  /** What is sent for a line. */
  wishOf(record: R, line: number): T['wish'];
  /** The person is authorized for each line separately; absent: once for all. */
  readonly authorizesEach?: true;
  /** Whether every other line would end like this one, so that nothing more is sent. */
  endsAll(outcome: OutcomeOf<T>): boolean;
  /** The presses that repeat a line. */
  repeats(line: LineEnd<T>): readonly LinePress['kind'][];
  /** Ids for the audit log when lines are repeated, never texts. */
  factsOf(record: R): AuditFacts;
}

/** A kind of batch, with its calls. */
export interface BatchOperation<T extends OperationTypes, R extends BatchRecord<T>>
  extends Batch<T, R> {
  readonly operation: Operation<T>;
}

/** All times are milliseconds on the store's clock. */
export interface BatchRecord<T extends OperationTypes> extends Report {
  readonly v: 1;
  readonly lines: readonly LineEnd<T>[];
  /** Whether it is announced in a channel. */
  readonly announce: boolean;
  /** The lines still to be sent, in order; the first is next, or in flight. */
  readonly queue: readonly number[];
  /** The initial length of the queue. */
  readonly queued: number;
  /** The first line's phase; `done`: nothing more is sent automatically. */
  readonly phase: Progress<T>['phase'];
  /** When the person was last authorized for a line; 0: not since they last asked for it. */
  readonly allowedAt: number;
  /** A slot in the budget is reserved for the next call. */
  readonly slot?: true;
  /** The number of consecutive lines without a clear answer. */
  readonly unclear: number;
  /** Why it ended before the queue did. */
  readonly stopped?: OutcomeOf<T>;
  /** Administrators were alerted that the service does not accept the key. */
  readonly alerted?: true;
  /** When to store suggestions for the next time again after part of the store was unavailable. */
  readonly rememberAt?: number;
  /** How many times the person repeated something: a press belongs to one of these runs. */
  readonly run: number;
  /** The page that the message shows, from 0. */
  readonly page: number;
  /** No further progress is shown before this. */
  readonly quietUntil?: number;
}

/** What is known of a line. */
export interface LineEnd<T extends OperationTypes> {
  /** The outcome of its last run; absent: not sent, or not completed. */
  readonly end?: OutcomeOf<T>;
  /** A call was lost, and may have done it. */
  readonly unconfirmed?: Progress<T>['unconfirmed'];
  /** Suggestions for the next time were stored. */
  readonly remembered?: true;
}

/** failed: refused, so certainly not done. unsent: not tried, or not completed. */
export type LineState = 'succeeded' | 'unknown' | 'failed' | 'unsent';

export function lineState<T extends OperationTypes>(
  { isSuccess }: Pick<Rules<T>, 'isSuccess'>,
  { end, unconfirmed }: LineEnd<T>,
): LineState {
  if (end === undefined) return unconfirmed === undefined ? 'unsent' : 'unknown';
  if (isSuccess(end)) return 'succeeded';
  return end.code === 'unknown' || unconfirmed !== undefined ? 'unknown' : 'failed';
}

/** The number of lines in each state, without those still to be sent. */
type Counts = Readonly<Record<LineState, number>>;

/** The state that the message shows: equal states render the same. */
export interface BatchState extends Counts {
  /** authorizing: not authorized yet, so nothing is promised. */
  readonly state: 'authorizing' | 'working' | 'done';
  /** How many of `queued` have been sent. */
  readonly done: number;
  readonly queued: number;
  readonly page: number;
  readonly run: number;
  /** It could not be announced in the channel. */
  readonly untold?: true;
}

export function batchState<T extends OperationTypes>(
  rules: Rules<T>,
  record: BatchRecord<T>,
): BatchState {
  const { phase, queue, queued, page, run, lines, allowedAt } = record;
  const counts = { succeeded: 0, unknown: 0, failed: 0, unsent: 0 };
  const ahead = new Set(queue);
  for (const [index, line] of lines.entries()) {
    counts[ahead.has(index) ? 'unsent' : lineState(rules, line)] += 1;
  }
  const isFirst = allowedAt === 0 && isUnauthorized(phase);
  return {
    state: phase.name === 'done' ? 'done' : isFirst ? 'authorizing' : 'working',
    ...counts,
    done: queued - queue.length,
    queued,
    page,
    run,
    ...(isUntold(record) && { untold: true as const }),
  };
}

/** One thing to do next for a batch, with at most one external call. */
export type BatchStep =
  /** Authorize the person. */
  | { readonly kind: 'authorize' }
  /** Reserve a slot in the budget. */
  | { readonly kind: 'budget' }
  /** For a line, as for a single operation. */
  | {
      readonly kind: 'send' | 'read' | 'give-up';
      readonly line: number;
      readonly plannedAt: number;
    }
  /** Store suggestions for the next time, after this line. */
  | { readonly kind: 'remember'; readonly line: number }
  /** Alert administrators that the service does not accept the key. */
  | { readonly kind: 'alert' }
  | ReportStep<BatchState>;

export type BatchResult<T extends OperationTypes> =
  | Authorization<T>
  | Sent<T>
  | Read<T>
  | { readonly kind: 'away' }
  | ReportResult;

export function encodeBatch<T extends OperationTypes>(record: BatchRecord<T>): string {
  return JSON.stringify(record);
}

export function decodeBatch<T extends OperationTypes, R extends BatchRecord<T>>(
  _batch: Batch<T, R>,
  text: string,
): R {
  // as: only `encodeBatch` writes it
  const record = JSON.parse(text) as R;
  if (record.v !== 1) throw new Error('a batch is stored in an unknown format');
  return record;
}

/** A press in the message. `run`: the run the person saw; the press applies only to that. */
export type BatchPress = LinePress | { readonly kind: 'page'; readonly page: number };

export type LinePress =
  /** Repeat exactly the lines that were certainly not done. */
  | { readonly kind: 'again'; readonly run: number }
  /** Repeat one line. */
  | { readonly kind: 'again-one'; readonly run: number; readonly line: number };

/** A button's value: the record and the press. */
export function writePress(record: string, { kind, ...press }: BatchPress): string {
  return [record, kind, ...Object.values(press)].join(' ');
}

/** undefined: not a press; values come back from outside. */
export function readPress(value: string): { record: string; press: BatchPress } | undefined {
  const [record = '', kind, ...rest] = value.split(' ');
  const [first, second] = rest.map(Number);
  if (!isCount(first)) return undefined;
  if (kind === 'page') return { record, press: { kind, page: first } };
  if (kind === 'again') return { record, press: { kind, run: first } };
  if (kind !== 'again-one' || !isCount(second)) return undefined;
  return { record, press: { kind, run: first, line: second } };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}
