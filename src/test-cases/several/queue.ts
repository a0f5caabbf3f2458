import { firstPhase } from '../../reconcile/sending.ts';
import type { NewTestCase } from '../../service/create-test-case.ts';
import type { CaseProgress, Outcome } from '../case-record.ts';
import { fieldNamedIn } from '../field-named.ts';
import type { BatchRecord, Line } from './batch-record.ts';

/** How the lines of a batch are sent one after the other: pure. */

/** What a record begins with that has these lines to send. */
export function queueOf(queue: readonly number[], notBefore: number) {
  const phase = queue.length > 0 ? firstPhase(notBefore) : ({ name: 'over' } as const);
  return { queue, queued: queue.length, phase, unclear: 0 };
}

/** A line of a batch as the one test case that it is. */
export function lineAt(batch: BatchRecord, index: number): CaseProgress {
  const line = batch.lines[index];
  if (line === undefined) throw new Error('there is no such line');
  const phase = batch.queue[0] === index ? batch.phase : ({ name: 'over' } as const);
  const { end, doubt } = line;
  return {
    by: batch.by,
    wanted: wantedOf(batch, line),
    phase,
    ...(end !== undefined && { outcome: end }),
    ...(doubt !== undefined && { doubt }),
  };
}

function wantedOf({ place }: BatchRecord, { title, priority, type }: Line): NewTestCase {
  return { ...place, title, ...(priority && { priority }), ...(type && { type }) };
}

/** The batch when its line came to be so: the line goes on, or is at its end and the next one follows. */
export function withLine(
  batch: BatchRecord,
  index: number,
  { phase, outcome, doubt }: CaseProgress,
  now: number,
): BatchRecord {
  const isNext = batch.queue[0] === index;
  if (isNext && phase.name !== 'over') return { ...batch, phase };
  if (outcome === undefined) throw new Error('a line that is over has an outcome');
  if (stops(outcome) && isNext) return stoppedAt(batch, index, { outcome, doubt });
  const ended = withEnd(batch, index, { outcome, doubt });
  if (!ended.queue.includes(index)) return ended;
  return isNext ? nextLine(ended, outcome, now) : without(ended, index);
}

function withEnd(
  batch: BatchRecord,
  index: number,
  { outcome: end, doubt }: { readonly outcome: Outcome; readonly doubt: Line['doubt'] },
): BatchRecord {
  const lines = batch.lines.map((line, i) => {
    if (i !== index) return line;
    const { doubt: _, ...known } = line;
    return { ...known, end, ...(doubt !== undefined && { doubt }) };
  });
  return { ...batch, lines };
}

/** What would be the same for every other line. Its own is as good as not sent, unless it is in doubt. */
function stoppedAt(
  batch: BatchRecord,
  index: number,
  end: { readonly outcome: Outcome; readonly doubt: Line['doubt'] },
): BatchRecord {
  const known = end.doubt === undefined ? batch : withEnd(batch, index, end);
  return { ...known, queue: [], phase: { name: 'over' }, stopped: end.outcome };
}

function nextLine(batch: BatchRecord, outcome: Outcome, now: number): BatchRecord {
  const queue = batch.queue.slice(1);
  const unclear = outcome.code === 'unknown' ? batch.unclear + 1 : 0;
  const left = { ...batch, queue, unclear };
  if (queue.length === 0) return { ...left, phase: { name: 'over' } };
  if (unclear >= UNCLEAR_MAX) {
    return { ...left, queue: [], phase: { name: 'over' }, stopped: outcome };
  }
  const sends = { notSent: 0, limited: 0 };
  return {
    ...left,
    phase: { name: 'send', checkedAt: batch.allowedAt, notBefore: now, sends },
  };
}

function without(batch: BatchRecord, index: number): BatchRecord {
  return { ...batch, queue: batch.queue.filter((each) => each !== index) };
}

/** A service that answers nobody is not asked for hundreds of cases that then may exist. */
const UNCLEAR_MAX = 3;

const STOPS: ReadonlySet<Outcome['code']> = new Set([
  'unauthorized',
  'forbidden',
  'not-found',
  'not-reached',
  'busy',
  'could-not-check',
  'account-not-read',
  'not-allowed',
  'no-key',
]);

function stops(outcome: Outcome): boolean {
  if (STOPS.has(outcome.code)) return true;
  // All lines have the suite in common.
  return outcome.code === 'invalid' && fieldNamedIn(outcome.detail ?? '') === 'suiteId';
}
