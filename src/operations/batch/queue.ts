import { omit } from '../../core/lib/omit.ts';
import { present } from '../../core/lib/present.ts';
import type { OperationTypes, OutcomeOf, Progress } from '../flow/rules.ts';
import { allowed, firstPhase } from '../flow/sending.ts';
import type { Batch, BatchRecord, LineEnd } from './batch.ts';

/** How the lines of a batch are sent one after the other: pure. */

/** The queue of a new record with these lines to send. */
export function queueOf(queue: readonly number[], notBefore: number) {
  const phase = queue.length > 0 ? firstPhase(notBefore) : ({ name: 'done' } as const);
  return { queue, queued: queue.length, phase, unclear: 0 };
}

/** A line of a batch, as a single operation. */
export function lineAt<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  index: number,
): Progress<T> {
  const { by, channel, queue, phase, lines } = record;
  const line: LineEnd<T> | undefined = lines[index];
  if (line === undefined) throw new Error('there is no such line');
  const { end, unconfirmed } = line;
  const ahead = queue.includes(index) ? firstPhase(0) : ({ name: 'done' } as const);
  return {
    by,
    channel,
    wish: batch.wishOf(record, index),
    phase: queue[0] === index ? phase : ahead,
    ...present({ outcome: end, unconfirmed }),
  };
}

/** The record with this progress of a line: it continues, or has ended and the next one follows. */
export function withLine<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  index: number,
  progress: Progress<T>,
  now: number,
): R {
  const { phase, outcome, unconfirmed } = progress;
  const known = withEnd(record, index, progress);
  const isNext = record.queue[0] === index;
  if (phase.name !== 'done') return isNext ? { ...known, phase } : known;
  if (!isNext) return { ...known, queue: known.queue.filter((each) => each !== index) };
  if (outcome === undefined) throw new Error('a line that is done has an outcome');
  if (!batch.endsAll(outcome)) return nextLine(batch, known, outcome, now);
  // The line itself counts as not sent, unless it may have been done.
  return stoppedAt<T, R>(unconfirmed === undefined ? record : known, outcome);
}

function withEnd<T extends OperationTypes, R extends BatchRecord<T>>(
  record: R,
  index: number,
  { outcome, unconfirmed }: Progress<T>,
): R {
  const lines = record.lines.map((line, i): LineEnd<T> => {
    if (i !== index) return line;
    return {
      ...omit<LineEnd<T>, LineEnd<T>>(line, 'end', 'unconfirmed'),
      ...present({ end: outcome, unconfirmed }),
    };
  });
  return { ...record, lines };
}

/** Nothing more is sent. */
function stoppedAt<T extends OperationTypes, R extends BatchRecord<T>>(
  record: R,
  stopped: OutcomeOf<T>,
): R {
  return { ...record, queue: [], phase: { name: 'done' }, stopped };
}

function nextLine<T extends OperationTypes, R extends BatchRecord<T>>(
  { authorizesEach }: Batch<T, R>,
  record: R,
  outcome: OutcomeOf<T>,
  now: number,
): R {
  const queue = record.queue.slice(1);
  const unclear = outcome.code === 'unknown' ? record.unclear + 1 : 0;
  const left = { ...record, queue, unclear };
  if (queue.length === 0) return { ...left, phase: { name: 'done' } };
  if (unclear >= UNCLEAR_MAX) return stoppedAt<T, R>(left, outcome);
  const first = firstPhase(now);
  if (authorizesEach) return { ...left, phase: first };
  return { ...left, phase: { ...allowed(first, now), authorizedAt: record.allowedAt } };
}

/** A service that does not answer is not sent hundreds of calls that may have had an effect. */
const UNCLEAR_MAX = 3;
