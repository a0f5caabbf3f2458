import type { Folded } from '../reconcile/flow.ts';
import { RETRY_MS } from '../reconcile/patience.ts';
import { over } from './ending.ts';
import type { Move } from './move.ts';
import type { MoveStepResult } from './move-step.ts';

/** Folds whether the person may move the item. */
export function foldChecked(move: Move, result: MoveStepResult, now: number): Folded<Move> {
  const { phase } = move;
  // A late answer: the present one counts.
  if (phase.name !== 'check' && phase.name !== 'send') return { data: move };
  const { sends } = phase;
  switch (result.kind) {
    case 'allowed':
      return { data: { ...move, phase: { name: 'send', checkedAt: now, notBefore: now, sends } } };
    case 'not-allowed':
      return over(move, { code: 'not-allowed', refusal: result.code });
    case 'failed': {
      const tries = phase.name === 'check' ? phase.tries : 0;
      const waitMs = RETRY_MS[tries];
      if (waitMs === undefined) return over(move, { code: 'could-not-check' });
      const notBefore = now + (result.failure.retryAfterMs ?? waitMs);
      return { data: { ...move, phase: { name: 'check', tries: tries + 1, notBefore, sends } } };
    }
    default:
      throw new Error(`a check does not end as ${result.kind}`);
  }
}
