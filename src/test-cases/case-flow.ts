import { beginTelling, foldTelling } from '../posts/fold-telling.ts';
import { showAnew } from '../posts/telling.ts';
import type { Begun, Flow, Folded } from '../reconcile/flow.ts';
import { runOf } from '../reconcile/press-again.ts';
import { firstPhase } from '../reconcile/sending.ts';
import type { Signal } from '../store/store.ts';
import {
  audienceOf,
  CASE_KIND,
  type CaseRecord,
  decodeCase,
  encodeCase,
  isRepeatable,
} from './case-record.ts';
import type { CaseStep, CaseStepResult } from './case-step.ts';
import { foldChecked } from './fold-checked.ts';
import { beginSend, foldSent, giveUp } from './fold-sent.ts';
import { type PerformCaseNeeds, performCase } from './perform-case.ts';
import { planCase } from './plan-case.ts';

/** What happens to a test case from outside, as its inbox holds it. Written and read by Gatepost alone. */
export type CaseSignal =
  /** The person wants the same sent once more; `run`: what they saw. */
  | { readonly kind: 'again'; readonly run?: number }
  /** The modal may show what held when another press was acknowledged. */
  | { readonly kind: 'covered' }
  /** A result that its worker could not save, because somebody else holds the record. */
  | { readonly kind: 'result'; readonly step: CaseStep; readonly result: CaseStepResult };

export interface CaseFlowNeeds extends PerformCaseNeeds {
  /** How long a finished test case is kept. */
  readonly keepMs: number;
}

/** How test cases are reconciled. */
export function createCaseFlow(needs: CaseFlowNeeds): Flow<CaseRecord, CaseStep, CaseStepResult> {
  return {
    kind: CASE_KIND,
    decode: decodeCase,
    encode: encodeCase,
    placeOf: () => null,
    take: takeCaseSignal,
    plan: (record, now) => planCase(record, needs, now),
    begin,
    perform: (record, step, id) => performCase(needs, id, record, step),
    fold: foldCase,
    resultSignal: (step, result) => encodeCaseSignal({ kind: 'result', step, result }),
    describe: (step, result) => ({
      step: `test-case-${step.kind}`,
      result: result.kind === 'answered' ? result.answer.kind : result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

export function encodeCaseSignal(signal: CaseSignal): string {
  return JSON.stringify(signal);
}

function takeCaseSignal(record: CaseRecord, { body }: Signal, now: number): Folded<CaseRecord> {
  // as: written by `encodeCaseSignal` alone
  const signal = JSON.parse(body) as CaseSignal;
  if (signal.kind === 'result') return foldCase(record, signal.step, signal.result, now);
  if (signal.kind === 'covered') return { data: showAnew(record, now) };
  if (!isRepeatable(record) || runOf(signal) !== runOf(record)) return { data: record };
  const { outcome, alerted, ...rest } = record;
  // What was lost must not arrive behind what is sent now.
  const notBefore = Math.max(now, record.doubt?.quietAt ?? 0);
  const facts = { project: record.wanted.projectId };
  return {
    data: { ...rest, run: runOf(record) + 1, phase: firstPhase(notBefore) },
    audit: [{ action: 'test-cases.again', record: null, actor: record.by, facts }],
  };
}

/** What is noted before it is tried. */
function begin(record: CaseRecord, step: CaseStep, now: number): Begun<CaseRecord> | undefined {
  switch (step.kind) {
    case 'send':
      return { ...beginSend(record, step, now), durable: true };
    case 'check':
    case 'give-up':
    case 'alert':
    case 'remember':
      return undefined;
    default:
      return beginTelling(record, audienceOf(record), step, now);
  }
}

/** Folds a step's result in: pure, and the same for a result that comes late or twice. */
export function foldCase(
  record: CaseRecord,
  step: CaseStep,
  result: CaseStepResult,
  now: number,
): Folded<CaseRecord> {
  switch (step.kind) {
    case 'check':
      return foldChecked(record, result, now);
    case 'send':
      return foldSent(record, step, result, now);
    case 'give-up':
      return giveUp(record, step);
    case 'alert':
      return { data: { ...record, alerted: true } };
    case 'remember':
      return { data: { ...record, remembered: true } };
    default: {
      const to = { audience: audienceOf(record), action: 'test-cases.post' };
      return foldTelling(record, to, step, result, now);
    }
  }
}
