import type { Folded } from '../reconcile/flow.ts';
import { allowed, checkFailed } from '../reconcile/sending.ts';
import type { CaseProgress } from './case-record.ts';
import type { CaseStepResult } from './case-step.ts';
import { over } from './ending.ts';

/** Folds whether the person may create test cases. */
export function foldChecked<Progress extends CaseProgress>(
  record: Progress,
  result: CaseStepResult,
  now: number,
): Folded<Progress> {
  const { phase } = record;
  // A late answer: the present one counts.
  if (phase.name !== 'check' && phase.name !== 'send') return { data: record };
  switch (result.kind) {
    case 'allowed':
      return { data: { ...record, phase: allowed(phase, now) } };
    case 'not-allowed':
      return over(record, { code: 'not-allowed', refusal: result.code });
    case 'failed': {
      const again = checkFailed(phase, result.failure, now);
      return again === null
        ? over(record, { code: 'of' in result ? 'account-not-read' : 'could-not-check' })
        : { data: { ...record, phase: again } };
    }
    default:
      throw new Error(`a check does not end as ${result.kind}`);
  }
}
