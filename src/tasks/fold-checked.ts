import type { Folded } from '../reconcile/flow.ts';
import { allowed, checkFailed } from '../reconcile/sending.ts';
import { over } from './ending.ts';
import type { Move } from './move.ts';
import type { MoveStepResult } from './move-step.ts';

/** Folds whether the person may move the item. */
export function foldChecked(move: Move, result: MoveStepResult, now: number): Folded<Move> {
  const { phase } = move;
  // A late answer: the present one counts.
  if (phase.name !== 'check' && phase.name !== 'send') return { data: move };
  switch (result.kind) {
    case 'allowed':
      return { data: { ...move, phase: allowed(phase, now) } };
    case 'not-allowed':
      return over(move, { code: 'not-allowed', refusal: result.code });
    case 'failed': {
      const again = checkFailed(phase, result.failure, now);
      return again === null
        ? over(move, { code: 'of' in result ? 'account-not-read' : 'could-not-check' })
        : { data: { ...move, phase: again } };
    }
    default:
      throw new Error(`a check does not end as ${result.kind}`);
  }
}
