import type { Timing } from '../../../../src/core/lib/timing.ts';
import type { Signal } from '../../../../src/core/store/store.ts';
import * as apply from '../../../../src/operations/batch/apply-batch.ts';
import * as batches from '../../../../src/operations/batch/batch.ts';
import * as flow from '../../../../src/operations/batch/batch-flow.ts';
import { queueOf } from '../../../../src/operations/batch/queue.ts';
import type { Operation } from '../../../../src/operations/flow/operation.ts';
import type { CaseTypes } from '../../../../src/operations/test-cases/case.ts';
import {
  CASE_BATCH,
  type CaseBatch,
  type Line,
} from '../../../../src/operations/test-cases/several/case-batch.ts';

export const places = {
  catalogue: {
    testProjects: [{ id: 'tp1', name: 'Checkout'.repeat(20), space: 'eng', suites: [] }],
  },
  links: { testCase: `https://service.example/${'x'.repeat(400)}/{testProjectId}/{id}` },
  cases: { announce: true },
};

/** A batch whose lines are so; it is over unless `change` says otherwise. */
export function batchWith(lines: readonly Line[], change: Partial<CaseBatch> = {}): CaseBatch {
  return {
    v: 1,
    by: 'U0ANA',
    channel: 'C0',
    place: { spaceSlug: 'eng', projectId: 'tp1' },
    lines,
    announce: true,
    createdAt: 0,
    ...queueOf([], 0),
    allowedAt: 0,
    run: 0,
    page: 0,
    posts: [],
    ...change,
  };
}

export type BatchResult = batches.BatchResult<CaseTypes>;
type Step = batches.BatchStep;

const operation: Operation<CaseTypes> = {
  rules: CASE_BATCH.rules,
  authorize: async () => ({ kind: 'allowed' }),
  send: null,
  alert: { code: 'unauthorized', raise: async () => {} },
  keepMs: 86_400_000,
};

export const lineState = (line: Line) => batches.lineState(CASE_BATCH.rules, line);
export const batchState = (batch: CaseBatch) => batches.batchState(CASE_BATCH.rules, batch);
export const planBatch = (batch: CaseBatch, now: number) =>
  flow.planBatch({ ...CASE_BATCH, operation }, batch, now);
export const receiveBatchSignal = (batch: CaseBatch, signal: Signal, now: number) =>
  flow.receiveBatchSignal(CASE_BATCH, batch, signal, now);
export const beginBatch = (batch: CaseBatch, step: Step, timing: Timing, now: number) =>
  apply.beginBatch(CASE_BATCH, batch, step, timing, now);
export const applyBatch = (
  batch: CaseBatch,
  step: Step,
  result: BatchResult,
  timing: Timing,
  now: number,
) => apply.applyBatch(CASE_BATCH, batch, step, result, timing, now);
