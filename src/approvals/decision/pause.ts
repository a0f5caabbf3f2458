import type { Due } from '../../core/engine/first-due.ts';
import { type Approval, type GuardPhases, isOnCourse } from '../approval.ts';
import type { Pause, PauseRules } from './guard.ts';
import { PAUSES, pauseOf } from './guards.ts';
import { afterRewind } from './store-rewind.ts';

/** A decision stays in the phase of a guard: nothing is sent, and a press can call it off. */

export function duePause({ decision }: Approval): Due<Pause> {
  return (decision && pauseOf(decision)) ?? null;
}

/** A store that went back may have lost that it was called off. */
function rewound(rules: PauseRules): PauseRules {
  return {
    ...rules,
    apply(approval, step, result, terms, now) {
      const { decision } = approval;
      if (decision === undefined || isOnCourse(decision.phase)) return { data: approval };
      const left = afterRewind(approval, terms);
      return left === approval ? rules.apply(approval, step, result, terms, now) : { data: left };
    },
  };
}

// as: the keys of the table
export const pauses = Object.fromEntries(
  Object.entries<PauseRules>(PAUSES).map(([name, rules]) => [name, rewound(rules)]),
) as { readonly [Name in keyof GuardPhases]: PauseRules };

export function isPause(step: { readonly kind: string }): step is Pause {
  return step.kind in PAUSES;
}
