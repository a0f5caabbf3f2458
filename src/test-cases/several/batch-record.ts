import type { Audience, Telling } from '../../posts/telling.ts';
import type { NewTestCase } from '../../service/create-test-case.ts';
import type { CaseProgress, Outcome, Phase } from '../case-record.ts';
import type { NewLine } from './read-lines.ts';

export const BATCH_KIND = 'test-case-batch';

/** Several test cases that a person wants at once: one record, in which each line has its own end. */
export interface BatchRecord extends Telling {
  readonly v: 1;
  /** Slack user id of whoever wants them. */
  readonly by: string;
  /** Where they were asked for, and will be announced. */
  readonly channel: string;
  /** What all of them have in common. */
  readonly place: Pick<NewTestCase, 'spaceSlug' | 'projectId' | 'suiteId'>;
  readonly lines: readonly Line[];
  /** Whether the channel is told. */
  readonly announce: boolean;
  /** Which of them are still to be sent, in order; the first is next, or on its way. */
  readonly queue: readonly number[];
  /** So many were in the queue when it began. */
  readonly queued: number;
  /** Of the first in the queue; `over`: nothing is sent any more by itself. */
  readonly phase: Phase;
  /** When the person was last known to be allowed to. */
  readonly allowedAt: number;
  /** The next sending has its turn within the budget. */
  readonly turn?: true;
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
  /** A message that could not be changed any more was posted anew. */
  readonly reposted?: true;
}

export interface Line extends NewLine {
  /** How it was sent last; absent: not at all, or not to an end. */
  readonly end?: Outcome;
  /** A sending was lost and may have created it. */
  readonly doubt?: CaseProgress['doubt'];
}

/** failed: refused, so certainly not created. unsent: nothing was tried, or not to an end. */
export type LineState = 'created' | 'unknown' | 'failed' | 'unsent';

export function stateOf({ end, doubt }: Line): LineState {
  if (end === undefined) return doubt === undefined ? 'unsent' : 'unknown';
  if (end.code === 'created') return 'created';
  return end.code === 'unknown' || doubt !== undefined ? 'unknown' : 'failed';
}

/** How many lines are in which state; of those still to be sent nothing is known yet. */
export type Counts = Readonly<Record<LineState, number>>;

export function countsOf({ lines, queue }: Pick<BatchRecord, 'lines' | 'queue'>): Counts {
  const counts = { created: 0, unknown: 0, failed: 0, unsent: 0 };
  const ahead = new Set(queue);
  for (const [index, line] of lines.entries()) {
    counts[ahead.has(index) ? 'unsent' : stateOf(line)] += 1;
  }
  return counts;
}

/** Who is told of it. */
export function batchAudience({ by, channel }: BatchRecord): Audience {
  return { by, channel };
}

export function encodeBatch(record: BatchRecord): string {
  return JSON.stringify(record);
}

export function decodeBatch(text: string): BatchRecord {
  // as: written by `encodeBatch` alone; a later form has another `v` and is migrated here
  const record = JSON.parse(text) as BatchRecord;
  if (record.v !== 1) throw new Error('a batch is kept in a form that is not known');
  return record;
}
