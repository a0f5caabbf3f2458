import type { FailureFacts } from '../lib/failure.ts';
import { isOf } from '../reconcile/attempt.ts';
import { type Folded, QUIET_MS } from '../reconcile/flow.ts';
import { type Sending, sendBegun, sendFailed } from '../reconcile/sending.ts';
import type { CreatedTestCase } from '../service/create-test-case.ts';
import type { CaseRecord } from './case-record.ts';
import type { CaseStep, CaseStepResult } from './case-step.ts';
import { over } from './ending.ts';

/** Notes that the test case is about to be sent. */
export function beginSend(
  record: CaseRecord,
  step: Extract<CaseStep, { kind: 'send' }>,
  now: number,
): Folded<CaseRecord> {
  const { wanted, by } = record;
  const facts = { project: wanted.projectId };
  return {
    data: { ...record, phase: sendBegun(record.phase, step, now) },
    audit: [{ action: 'test-cases.send', record: null, actor: by, facts }],
  };
}

/** Folds what the service answered (Interface 7.2). */
export function foldSent(
  record: CaseRecord,
  step: Extract<CaseStep, { kind: 'send' }>,
  result: CaseStepResult,
  now: number,
): Folded<CaseRecord> {
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
  return foldFailed(record, sending, result.failure, now);
}

/**
 * Late or not: the service said that it created it. A word that comes while the same is being sent
 * again settles nothing of that sending, whose own answer is waited for.
 */
function created(
  record: CaseRecord,
  { id, status }: CreatedTestCase,
  sending: Sending | null,
): Folded<CaseRecord> {
  const isLate = sending === null;
  if (isLate && record.phase.name === 'sending') return { data: record };
  if (isLate && record.outcome?.code === 'created') return { data: record };
  if (!isLate) return over(record, { code: 'created', id, status });
  // It is the lost one that was created.
  const { doubt, ...rest } = record;
  return over(rest, { code: 'created', id, status });
}

/** Its process is gone. The interface shows no way to look, so it is not known, and never sent again by itself. */
export function giveUp(
  record: CaseRecord,
  step: Extract<CaseStep, { kind: 'give-up' }>,
): Folded<CaseRecord> {
  const { phase } = record;
  if (phase.name !== 'sending' || !isOf(step, phase.attempt)) return { data: record };
  return lost(record, phase);
}

function foldFailed(
  record: CaseRecord,
  sending: Sending,
  failure: FailureFacts,
  now: number,
): Folded<CaseRecord> {
  const after = sendFailed(sending, failure, now);
  switch (after.kind) {
    case 'again':
      return { data: { ...record, phase: after.phase } };
    case 'over':
      return over(record, { code: after.code, ...said(failure.detail) });
    case 'lost':
      return lost(record, sending);
  }
}

function lost(record: CaseRecord, { attempt }: Sending): Folded<CaseRecord> {
  const doubt = { quietAt: attempt.mustEndBy + QUIET_MS };
  return over({ ...record, doubt }, { code: 'unknown' });
}

function said(detail: string | null | undefined): { readonly detail?: string } {
  return detail === null || detail === undefined ? {} : { detail };
}
