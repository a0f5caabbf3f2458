import type { FailureFacts } from '../lib/failure.ts';
import { type Attempt, isOf } from '../reconcile/attempt.ts';
import { type Folded, QUIET_MS } from '../reconcile/flow.ts';
import { said } from '../reconcile/said.ts';
import { type Sending, sendBegun, sendFailed } from '../reconcile/sending.ts';
import type { CreatedTestCase } from '../service/create-test-case.ts';
import type { CaseProgress } from './case-record.ts';
import type { CaseStepResult } from './case-step.ts';
import { over } from './ending.ts';

/** A step that sends it, or gives that up. */
type SendStep = Pick<Attempt, 'plannedAt'>;

/** Notes that the test case is about to be sent. */
export function beginSend<Progress extends CaseProgress>(
  record: Progress,
  step: SendStep,
  now: number,
): Folded<Progress> {
  const { wanted, by } = record;
  const facts = { project: wanted.projectId };
  return {
    data: { ...record, phase: sendBegun(record.phase, step, now) },
    audit: [{ action: 'test-cases.send', record: null, actor: by, facts }],
  };
}

/** Folds what the service answered (Interface 7.2). `limitedMax`: so often a 429 is waited for. */
export function foldSent<Progress extends CaseProgress>(
  record: Progress,
  step: SendStep,
  result: CaseStepResult,
  now: number,
  limitedMax?: number,
): Folded<Progress> {
  const { phase } = record;
  const sending = phase.name === 'sending' && isOf(step, phase.attempt) ? phase : null;
  if (result.kind === 'answered') {
    const { answer } = result;
    if (answer.kind === 'created') return created(record, answer, sending);
    return sending === null
      ? { data: record }
      : over(record, { code: answer.kind, ...said(answer.detail) });
  }
  // A late failure says nothing of what is known since.
  if (sending === null) return { data: record };
  if (result.kind === 'no-key') return over(record, { code: 'no-key' });
  if (result.kind !== 'failed') throw new Error(`a sending does not end as ${result.kind}`);
  return foldFailed(record, sending, result.failure, { now, limitedMax });
}

/**
 * Late or not: the service said that it created it. A word that comes while the same is being sent
 * again settles nothing of that sending, whose own answer is waited for.
 */
function created<Progress extends CaseProgress>(
  record: Progress,
  { id, status }: CreatedTestCase,
  sending: Sending | null,
): Folded<Progress> {
  const isLate = sending === null;
  if (isLate && record.phase.name === 'sending') return { data: record };
  if (isLate && record.outcome?.code === 'created') return { data: record };
  if (!isLate) return over(record, { code: 'created', id, status });
  // It is the lost one that was created.
  const { doubt, ...rest } = record;
  // as: without an optional member it is still one of its kind
  return over(rest as Progress, { code: 'created', id, status });
}

/** Its process is gone. The interface shows no way to look, so it is not known, and never sent again by itself. */
export function giveUp<Progress extends CaseProgress>(
  record: Progress,
  step: SendStep,
): Folded<Progress> {
  const { phase } = record;
  if (phase.name !== 'sending' || !isOf(step, phase.attempt)) return { data: record };
  return lost(record, phase);
}

function foldFailed<Progress extends CaseProgress>(
  record: Progress,
  sending: Sending,
  failure: FailureFacts,
  { now, limitedMax }: { readonly now: number; readonly limitedMax: number | undefined },
): Folded<Progress> {
  const after = sendFailed(sending, failure, now, limitedMax);
  switch (after.kind) {
    case 'again':
      return { data: { ...record, phase: after.phase } };
    case 'over':
      return over(record, { code: after.code, ...said(failure.detail) });
    case 'lost':
      return lost(record, sending);
  }
}

function lost<Progress extends CaseProgress>(
  record: Progress,
  { attempt }: Sending,
): Folded<Progress> {
  const doubt = { quietAt: attempt.mustEndBy + QUIET_MS };
  return over({ ...record, doubt }, { code: 'unknown' });
}
