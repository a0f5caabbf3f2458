import type { NewTestCase } from '../../../core/service/create-test-case.ts';
import { isUntold, type Report, type ReportResult, type ReportStep } from '../../flow/report.ts';
import type { Authorization, Sent } from '../../flow/rules.ts';
import { isUnauthorized } from '../../flow/sending.ts';
import type { CaseProgress, CaseTypes, Outcome } from '../case.ts';
import type { NewLine } from './read-lines.ts';

export const BATCH_KIND = 'test-case-batch';

/** Several test cases that a person wants at once: one record, in which each line has its own end. */
export interface BatchRecord extends Report {
  readonly v: 1;
  /** What all of them have in common. */
  readonly place: Pick<NewTestCase, 'spaceSlug' | 'projectId' | 'suiteId'>;
  readonly lines: readonly Line[];
  /** Whether a channel is told. */
  readonly announce: boolean;
  /** Which of them are still to be sent, in order; the first is next, or on its way. */
  readonly queue: readonly number[];
  /** So many were in the queue when it began. */
  readonly queued: number;
  /** Of the first in the queue; `done`: nothing is sent any more by itself. */
  readonly phase: CaseProgress['phase'];
  /** When the person was last known to be allowed to. */
  readonly allowedAt: number;
  /** The next sending has its slot within the budget. */
  readonly slot?: true;
  /** So many lines in a row got no answer. */
  readonly unclear: number;
  /** Why it ended before the queue did. */
  readonly stopped?: Outcome;
  /** Administrators were told of the key that the service does not accept. */
  readonly alerted?: true;
  /** How often the person had something sent again: what they press belongs to one of these. */
  readonly run: number;
  /** Which page of the lines the message shows, from 0. */
  readonly page: number;
  /** The message shows no further progress before this. */
  readonly quietUntil?: number;
}

export interface Line extends NewLine {
  /** How it was sent last; absent: not at all, or not to an end. */
  readonly end?: Outcome;
  /** A sending was lost and may have created it. */
  readonly unconfirmed?: CaseProgress['unconfirmed'];
}

/** failed: refused, so certainly not created. unsent: nothing was tried, or not to an end. */
export type LineState = 'created' | 'unknown' | 'failed' | 'unsent';

export function lineState({ end, unconfirmed }: Line): LineState {
  if (end === undefined) return unconfirmed === undefined ? 'unsent' : 'unknown';
  if (end.code === 'created') return 'created';
  return end.code === 'unknown' || unconfirmed !== undefined ? 'unknown' : 'failed';
}

/** It was created while nobody knows what became of an earlier sending. */
export function isPerhapsTwice(line: Line): boolean {
  return lineState(line) === 'created' && line.unconfirmed !== undefined;
}

/** How many lines are in which state; of those still to be sent nothing is known yet. */
type Counts = Readonly<Record<LineState, number>>;

export function countsOf({ lines, queue }: BatchRecord): Counts {
  const counts = { created: 0, unknown: 0, failed: 0, unsent: 0 };
  const ahead = new Set(queue);
  for (const [index, line] of lines.entries()) {
    counts[ahead.has(index) ? 'unsent' : lineState(line)] += 1;
  }
  return counts;
}

/** What the message shows of a batch: two equal states look the same. */
export interface BatchState extends Counts {
  /** authorizing: whether the person may is not known yet, so nothing is promised. */
  readonly state: 'authorizing' | 'working' | 'done';
  /** So many of `queued` have been sent. */
  readonly done: number;
  readonly queued: number;
  readonly page: number;
  readonly run: number;
  /** The channel could not be told. */
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

/** One thing to do next for a batch: at most one external call. */
export type BatchStep =
  /** Find out whether the person may. */
  | { readonly kind: 'authorize' }
  /** Take a slot within the budget. */
  | { readonly kind: 'budget' }
  /** Send a line, as one test case is. */
  | { readonly kind: 'send' | 'give-up'; readonly line: number; readonly plannedAt: number }
  /** Tell administrators that the service does not accept the key. */
  | { readonly kind: 'alert' }
  | ReportStep<BatchState>;

export type BatchResult = Authorization<CaseTypes> | Sent<CaseTypes> | ReportResult;

export function encodeBatch(record: BatchRecord): string {
  return JSON.stringify(record);
}

export function decodeBatch(text: string): BatchRecord {
  // as: written by `encodeBatch` alone
  const record = JSON.parse(text) as BatchRecord;
  if (record.v !== 1) throw new Error('a batch is kept in a form that is not known');
  return record;
}

/** What a person presses in the message. `run`: what they saw; they decide on nothing else. */
export type BatchPress =
  /** Send once more everything that was certainly not created, and nothing else. */
  | { readonly kind: 'again'; readonly run: number }
  /** Send one line once more, although it may exist. */
  | { readonly kind: 'again-one'; readonly run: number; readonly line: number }
  | { readonly kind: 'page'; readonly page: number };

/** A button's value: the record, and what is pressed. */
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

/** undefined: it is none; values come back from outside. */
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
