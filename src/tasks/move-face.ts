import { partNamed } from '../posts/telling.ts';
import { isUnchecked } from '../reconcile/sending.ts';
import type { Move, Outcome } from './move.ts';
import { audienceOf } from './move.ts';

/** What the person is shown of a move: two equal faces look the same. */
export type MoveFace =
  /** Whether the person may is not known yet, so nothing is promised. */
  | { readonly state: 'checking' }
  | { readonly state: 'moving' }
  /** The service did not answer; it is looked up what became of it. */
  | { readonly state: 'looking' }
  | {
      readonly state: 'over';
      readonly outcome: Outcome;
      /** An earlier sending may have moved it all the same. */
      readonly doubt?: true;
      /** The channel could not be told. */
      readonly untold?: true;
    };

export function faceOf(move: Move): MoveFace {
  const { phase, outcome, doubt } = move;
  if (phase.name === 'over' && outcome !== undefined) {
    const isUntold = partNamed(move, audienceOf(move), 'announcement').failed !== undefined;
    return {
      state: 'over',
      outcome,
      ...(doubt !== undefined && { doubt: true as const }),
      ...(isUntold && { untold: true as const }),
    };
  }
  if (phase.name === 'check' && isUnchecked(phase)) return { state: 'checking' };
  const isLost = phase.name === 'look' && phase.why === 'lost';
  return { state: isLost ? 'looking' : 'moving' };
}
