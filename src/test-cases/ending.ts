import type { Folded } from '../reconcile/flow.ts';
import type { CaseProgress, Outcome } from './case-record.ts';
import { REFUSED } from './refusal.ts';

/** Ends a sending with what is known of it. An earlier one that was lost stays in doubt. */
export function over<Progress extends CaseProgress>(
  record: Progress,
  outcome: Outcome,
): Folded<Progress> {
  const { code } = outcome;
  const facts = {
    project: record.wanted.projectId,
    outcome: code,
    ...(code === 'created' && { case: outcome.id }),
    ...(code === 'not-allowed' && { refusal: outcome.refusal }),
  };
  const action = code === 'not-allowed' ? REFUSED : 'test-cases.outcome';
  return {
    data: { ...record, phase: { name: 'over' }, outcome },
    audit: [{ action, record: null, actor: record.by, facts }],
  };
}
