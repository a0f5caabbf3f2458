import type { Flow, Folded } from '../../reconcile/flow.ts';
import type { Signal } from '../../store/store.ts';
import type { CaseStepResult } from '../case-step.ts';
import { BATCH_KIND, type BatchRecord, decodeBatch, encodeBatch, stateOf } from './batch-record.ts';
import type { BatchStep } from './batch-step.ts';
import { beginBatchStep, foldBatch } from './fold-batch.ts';
import { type PerformBatchNeeds, performBatch } from './perform-batch.ts';
import { planBatch } from './plan-batch.ts';
import type { BatchPress } from './press.ts';
import { queueOf } from './queue.ts';

/** What happens to a batch from outside, as its inbox holds it. Written and read by Gatepost alone. */
export type BatchSignal =
  | BatchPress
  /** A result that its worker could not save, because somebody else holds the record. */
  | { readonly kind: 'result'; readonly step: BatchStep; readonly result: CaseStepResult };

export interface BatchFlowNeeds extends PerformBatchNeeds {
  /** How long a finished batch is kept. */
  readonly keepMs: number;
}

/** How several test cases are reconciled. */
export function createBatchFlow(
  needs: BatchFlowNeeds,
): Flow<BatchRecord, BatchStep, CaseStepResult> {
  return {
    kind: BATCH_KIND,
    decode: decodeBatch,
    encode: encodeBatch,
    placeOf: () => null,
    take: takeBatchSignal,
    plan: (batch, now) => planBatch(batch, needs, now),
    begin: beginBatchStep,
    perform: (batch, step, id) => performBatch(needs, id, batch, step),
    fold: foldBatch,
    resultSignal: (step, result) => encodeBatchSignal({ kind: 'result', step, result }),
    describe: (step, result) => ({
      step: `test-case-batch-${step.kind}`,
      result: result.kind === 'answered' ? result.answer.kind : result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

export function encodeBatchSignal(signal: BatchSignal): string {
  return JSON.stringify(signal);
}

export function takeBatchSignal(
  batch: BatchRecord,
  { body }: Signal,
  now: number,
): Folded<BatchRecord> {
  // as: written by `encodeBatchSignal` alone
  const signal = JSON.parse(body) as BatchSignal;
  if (signal.kind === 'result') return foldBatch(batch, signal.step, signal.result, now);
  // What they see may be old: it is shown anew in any case.
  const { told, ...shown } = batch;
  if (signal.kind === 'page') return { data: { ...shown, page: signal.page } };
  const queue = linesFor(batch, signal);
  if (queue.length === 0) return { data: shown };
  const { stopped, alerted, quietUntil, ...rest } = shown;
  const facts = { project: batch.place.projectId, lines: queue.length };
  return {
    data: { ...rest, ...queueOf(queue, now), run: batch.run + 1, page: 0 },
    audit: [{ action: 'test-cases.again', record: null, actor: batch.by, facts }],
  };
}

/** The lines that a press sends once more. */
function linesFor(
  { phase, run, lines }: BatchRecord,
  press: Exclude<BatchPress, { kind: 'page' }>,
): readonly number[] {
  if (phase.name !== 'over' || press.run !== run) return [];
  const indexes = lines.map((_, index) => index);
  const states = lines.map(stateOf);
  if (press.kind === 'again-one') {
    return indexes.filter((index) => index === press.line && states[index] === 'unknown');
  }
  return indexes.filter((index) => states[index] === 'failed' || states[index] === 'unsent');
}
