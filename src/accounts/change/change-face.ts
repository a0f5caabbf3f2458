import type { AccountChange, Outcome } from './account-change.ts';

/** What the person is shown of a change: two equal faces look the same. */
export type ChangeFace =
  | { readonly state: 'working' }
  | {
      readonly state: 'done';
      readonly outcome: Outcome;
      /** An earlier sending may have done it all the same. */
      readonly doubt?: true;
    };

export function faceOf({ phase, outcome, doubt }: AccountChange): ChangeFace {
  if (phase.name !== 'over' || outcome === undefined) return { state: 'working' };
  return { state: 'done', outcome, ...(doubt !== undefined && { doubt: true as const }) };
}
