import { partNamed } from '../posts/telling.ts';
import { isUnchecked } from '../reconcile/sending.ts';
import { audienceOf, type CaseRecord, type Outcome } from './case-record.ts';

/** What the person is shown of a test case: two equal faces look the same. */
export type CaseFace =
  /** Whether the person may is not known yet, so nothing is promised. */
  | { readonly state: 'checking' }
  | { readonly state: 'creating' }
  | {
      readonly state: 'over';
      readonly outcome: Outcome;
      /** An earlier sending may have created it all the same. */
      readonly doubt?: true;
      /** The channel could not be told. */
      readonly untold?: true;
    };

export function faceOf(record: CaseRecord): CaseFace {
  const { phase, outcome, doubt } = record;
  if (phase.name !== 'over' && isUnchecked(phase)) return { state: 'checking' };
  if (phase.name !== 'over' || outcome === undefined) return { state: 'creating' };
  const isUntold = partNamed(record, audienceOf(record), 'announcement').failed !== undefined;
  return {
    state: 'over',
    outcome,
    ...(doubt !== undefined && { doubt: true as const }),
    ...(isUntold && { untold: true as const }),
  };
}
