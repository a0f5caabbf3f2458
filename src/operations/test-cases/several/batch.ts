import type { NewTestCase } from '../../../core/service/create-test-case.ts';
import { isUntold, type Report, type ReportResult, type ReportStep } from '../../flow/report.ts';
import type { Authorization, Sent } from '../../flow/rules.ts';
import { isUnauthorized } from '../../flow/sending.ts';
import type { CaseProgress, CaseTypes, Outcome } from '../case.ts';
import type { NewLine } from './read-lines.ts';

export const BATCH_KIND = 'test-case-batch';

/** Several test cases that a person wants: one record, with a separate outcome for each line. */
export interface BatchRecord extends Report {
  readonly v: 1;
  /** Shared by all lines. */
  readonly place: Pick<NewTestCase, 'spaceSlug' | 'projectId' | 'suiteId'>;
  readonly lines: readonly Line[];
  /** Whether it is announced in a channel. */
  readonly announce: boolean;
  /** The lines still to be sent, in order; the first is next, or in flight. */
  readonly queue: readonly number[];
  /** The initial length of the queue. */
  readonly queued: number;
  /** The first line's phase; `done`: nothing more is sent automatically. */
  readonly phase: CaseProgress['phase'];
  /** When the person was last authorized. */
  readonly allowedAt: number;
  /** A slot in the budget is reserved for the next call. */
  readonly slot?: true;
  /** The number of consecutive lines without a clear answer. */
  readonly unclear: number;
  /** Why it ended before the queue did. */
  readonly stopped?: Outcome;
  /** Administrators were alerted that the service does not accept the key. */
  readonly alerted?: true;
  /** How many times the person repeated something: a press belongs to one of these runs. */
  readonly run: number;
  /** The page that the message shows, from 0. */
  readonly page: number;
  /** No further progress is shown before this. */
  readonly quietUntil?: number;
}

export interface Line extends NewLine {
  /** The outcome of its last run; absent: not sent, or not completed. */
  readonly end?: Outcome;
  /** A call was lost, and may have created it. */
  readonly unconfirmed?: CaseProgress['unconfirmed'];
}

/** failed: refused, so certainly not created. unsent: not tried, or not completed. */
export type LineState = 'created' | 'unknown' | 'failed' | 'unsent';

export function lineState({ end, unconfirmed }: Line): LineState {
  if (end === undefined) return unconfirmed === undefined ? 'unsent' : 'unknown';
  if (end.code === 'created') return 'created';
  return end.code === 'unknown' || unconfirmed !== undefined ? 'unknown' : 'failed';
}

/** Created, while the effect of an earlier call is unknown. */
export function mayExistTwice(line: Line): boolean {
  return lineState(line) === 'created' && line.unconfirmed !== undefined;
}

/** The number of lines in each state, without those still to be sent. */
type Counts = Readonly<Record<LineState, number>>;

export function countsOf({ lines, queue }: BatchRecord): Counts {
  const counts = { created: 0, unknown: 0, failed: 0, unsent: 0 };
  const ahead = new Set(queue);
  for (const [index, line] of lines.entries()) {
    counts[ahead.has(index) ? 'unsent' : lineState(line)] += 1;
  }
  return counts;
}

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

export function batchState(record: BatchRecord): BatchState {
  const { phase, queue, queued, page, run } = record;
  return {
    state: phase.name === 'done' ? 'done' : isUnauthorized(phase) ? 'authorizing' : 'working',
    ...countsOf(record),
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
  /** Send a line like a single test case. */
  | { readonly kind: 'send' | 'give-up'; readonly line: number; readonly plannedAt: number }
  /** Alert administrators that the service does not accept the key. */
  | { readonly kind: 'alert' }
  | ReportStep<BatchState>;

export type BatchResult = Authorization<CaseTypes> | Sent<CaseTypes> | ReportResult;

export function encodeBatch(record: BatchRecord): string {
  return JSON.stringify(record);
}

export function decodeBatch(text: string): BatchRecord {
  // as: only `encodeBatch` writes it
  const record = JSON.parse(text) as BatchRecord;
  if (record.v !== 1) throw new Error('a batch is stored in an unknown format');
  return record;
}

/** A press in the message. `run`: the run the person saw; the press applies only to that. */
export type BatchPress =
  /** Repeat exactly the lines that were certainly not created. */
  | { readonly kind: 'again'; readonly run: number }
  /** Repeat one line, although it may exist. */
  | { readonly kind: 'again-one'; readonly run: number; readonly line: number }
  | { readonly kind: 'page'; readonly page: number };

/** A button's value: the record and the press. */
export function writePress(record: string, press: BatchPress): string {
  switch (press.kind) {
    case 'again':
      return [record, press.kind, press.run].join(' ');
    case 'again-one':
      return [record, press.kind, press.run, press.line].join(' ');
    case 'page':
      return [record, press.kind, press.page].join(' ');
  }
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
