import { beginTelling, foldTelling } from '../../posts/fold-telling.ts';
import type { Begun, Folded } from '../../reconcile/flow.ts';
import type { CaseProgress } from '../case-record.ts';
import type { CaseStepResult } from '../case-step.ts';
import { foldChecked } from '../fold-checked.ts';
import { beginSend, foldSent, giveUp } from '../fold-sent.ts';
import { type BatchRecord, batchAudience } from './batch-record.ts';
import type { BatchStep } from './batch-step.ts';
import { foldUpdated, keptShowing } from './fold-updated.ts';
import { lineAt, withLine } from './queue.ts';

/** What is noted before it is tried. */
export function beginBatchStep(
  batch: BatchRecord,
  step: BatchStep,
  now: number,
): Begun<BatchRecord> | undefined {
  switch (step.kind) {
    case 'send': {
      const begun = beginSend(lineAt(batch, step.line), step, now);
      const { turn, ...rest } = batch;
      const noted = { ...rest, phase: begun.data.phase };
      return { ...ofLine(step.line, begun, noted), durable: true };
    }
    case 'check':
    case 'alert':
    case 'budget':
    case 'give-up':
      return undefined;
    default:
      return beginTelling(batch, batchAudience(batch), step, now);
  }
}

/** Folds a step's result in: pure, and the same for a result that comes late or twice. */
export function foldBatch(
  batch: BatchRecord,
  step: BatchStep,
  result: CaseStepResult,
  now: number,
): Folded<BatchRecord> {
  switch (step.kind) {
    case 'check': {
      const [line] = batch.queue;
      if (line === undefined) return { data: batch };
      const allowed = result.kind === 'allowed' ? { ...batch, allowedAt: now } : batch;
      return foldLine(allowed, line, (progress) => foldChecked(progress, result, now), now);
    }
    case 'alert':
      return { data: { ...batch, alerted: true } };
    case 'budget':
      return { data: turnTaken(batch, result, now) };
    case 'send':
      return foldLine(
        batch,
        step.line,
        (progress) => foldSent(progress, step, result, now, LIMITED_MAX),
        now,
      );
    case 'give-up':
      return foldLine(batch, step.line, (progress) => giveUp(progress, step), now);
    case 'update':
      return { data: foldUpdated(batch, step, result, now) };
    default: {
      const to = { audience: batchAudience(batch), action: 'test-cases.post' };
      const folded = foldTelling(batch, to, step, result, now);
      return { ...folded, data: keptShowing(batch, folded.data, now) };
    }
  }
}

/** Nobody watches each line: a busy service is given minutes. */
const LIMITED_MAX = 20;

function foldLine(
  batch: BatchRecord,
  line: number,
  fold: (progress: CaseProgress) => Folded<CaseProgress>,
  now: number,
): Folded<BatchRecord> {
  const before = lineAt(batch, line);
  const folded = fold(before);
  // A late result that says nothing of the line.
  if (folded.data === before) return { data: batch };
  return ofLine(line, folded, withLine(batch, line, folded.data, now));
}

/** The audit log names the line, from 1. */
function ofLine(
  line: number,
  { audit = [] }: Folded<CaseProgress>,
  data: BatchRecord,
): Folded<BatchRecord> {
  const named = audit.map((entry) => ({ ...entry, facts: { ...entry.facts, line: line + 1 } }));
  return { data, audit: named };
}

/** The next line has its turn. */
function turnTaken(batch: BatchRecord, result: CaseStepResult, now: number): BatchRecord {
  if (result.kind !== 'turn') throw new Error(`a turn does not end as ${result.kind}`);
  const { phase } = batch;
  if (phase.name !== 'send') return batch;
  return { ...batch, turn: true, phase: { ...phase, notBefore: now + result.waitMs } };
}
