import { firstPhase } from '../../flow/sending.ts';
import type { CaseProgress, CaseWish, Outcome } from '../case.ts';
import { fieldNamedIn } from '../form-view.ts';
import type { BatchRecord, Line } from './batch.ts';

/** How the lines of a batch are sent one after the other: pure. */

/** The queue of a new record with these lines to send. */
export function queueOf(queue: readonly number[], notBefore: number) {
  const phase = queue.length > 0 ? firstPhase(notBefore) : ({ name: 'done' } as const);
  return { queue, queued: queue.length, phase, unclear: 0 };
}

/** A line of a batch, as a single test case. */
export function lineAt(batch: BatchRecord, index: number): CaseProgress {
  const line = batch.lines[index];
  if (line === undefined) throw new Error('there is no such line');
  const phase = batch.queue[0] === index ? batch.phase : ({ name: 'done' } as const);
  const { end, unconfirmed } = line;
  return {
    by: batch.by,
    channel: batch.channel,
    wish: wishOf(batch, line),
    phase,
    ...(end !== undefined && { outcome: end }),
    ...(unconfirmed !== undefined && { unconfirmed }),
  };
}

function wishOf({ place }: BatchRecord, { title, priority, type }: Line): CaseWish {
  const testCase = { ...place, title, ...(priority && { priority }), ...(type && { type }) };
  return { testCase, round: 0 };
}

/** The batch with this progress of a line: it continues, or has ended and the next one follows. */
export function withLine(
  batch: BatchRecord,
  index: number,
  { phase, outcome, unconfirmed }: CaseProgress,
  now: number,
): BatchRecord {
  const isNext = batch.queue[0] === index;
  if (isNext && phase.name !== 'done') return { ...batch, phase };
  if (outcome === undefined) throw new Error('a line that is done has an outcome');
  if (stops(outcome) && isNext) return stoppedAt(batch, index, { outcome, unconfirmed });
  const ended = withEnd(batch, index, { outcome, unconfirmed });
  if (!ended.queue.includes(index)) return ended;
  return isNext ? nextLine(ended, outcome, now) : without(ended, index);
}

function withEnd(
  batch: BatchRecord,
  index: number,
  {
    outcome: end,
    unconfirmed,
  }: { readonly outcome: Outcome; readonly unconfirmed: Line['unconfirmed'] },
): BatchRecord {
  const lines = batch.lines.map((line, i) => {
    if (i !== index) return line;
    const { unconfirmed: _, ...known } = line;
    return { ...known, end, ...(unconfirmed !== undefined && { unconfirmed }) };
  });
  return { ...batch, lines };
}

/** For outcomes that every other line would share. The line itself counts as not sent, unless it may exist. */
function stoppedAt(
  batch: BatchRecord,
  index: number,
  end: { readonly outcome: Outcome; readonly unconfirmed: Line['unconfirmed'] },
): BatchRecord {
  const known = end.unconfirmed === undefined ? batch : withEnd(batch, index, end);
  return { ...known, queue: [], phase: { name: 'done' }, stopped: end.outcome };
}

function nextLine(batch: BatchRecord, outcome: Outcome, now: number): BatchRecord {
  const queue = batch.queue.slice(1);
  const unclear = outcome.code === 'unknown' ? batch.unclear + 1 : 0;
  const left = { ...batch, queue, unclear };
  if (queue.length === 0) return { ...left, phase: { name: 'done' } };
  if (unclear >= UNCLEAR_MAX) {
    return { ...left, queue: [], phase: { name: 'done' }, stopped: outcome };
  }
  const sends = { notSent: 0, limited: 0 };
  return {
    ...left,
    phase: { name: 'send', authorizedAt: batch.allowedAt, notBefore: now, sends },
  };
}

function without(batch: BatchRecord, index: number): BatchRecord {
  return { ...batch, queue: batch.queue.filter((each) => each !== index) };
}

/** A service that does not answer is not sent hundreds of cases that may then exist. */
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
  'forgotten',
]);

function stops(outcome: Outcome): boolean {
  if (STOPS.has(outcome.code)) return true;
  // All lines share the suite.
  return outcome.code === 'invalid' && fieldNamedIn(outcome.detail ?? '') === 'suiteId';
}
