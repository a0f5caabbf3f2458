import type { Core } from '../../core/core.ts';
import type { Applied, MarkedAttempt } from '../../core/engine/flow.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { ApprovalAlert } from '../alert.ts';
import type { Approval } from '../approval.ts';
import type { Terms } from './terms.ts';

/**
 * Everything about one kind of step, except when it is due, which `plan.ts` asks in order. A step is one thing to do
 * next, with at most one external call.
 */
export interface StepRules<Step, Result, Needs extends Core = Core> {
  /**
   * Notes an attempt at the step, to be saved before it is executed. Left out or undefined: it changes nothing
   * elsewhere.
   */
  markAttempt?(
    approval: Approval,
    step: Step,
    timing: Timing,
    now: number,
  ): MarkedAttempt<Approval> | undefined;
  /** Makes the external call. Failures of other systems are results; only our own mistakes throw. */
  execute(core: Needs, id: string, approval: Approval, step: Step): Promise<Result>;
  /** Applies the result. Pure; handles late and repeated results. */
  apply(
    approval: Approval,
    step: Step,
    result: Result,
    terms: Terms,
    now: number,
  ): Applied<Approval>;
  /** Alerts for administrators after a step with this result. Default: what Slack refuses. */
  alerts?(before: Approval, step: Step, result: Result, after: Approval): readonly ApprovalAlert[];
}
