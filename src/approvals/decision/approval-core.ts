import type { Core } from '../../core/core.ts';
import type { CallbackEnd } from '../../core/http/callbacks.ts';
import type { CallbackEvent } from '../approval.ts';
import type { StepRules } from '../electorate/step-rules.ts';
import type { ServiceAnswers } from './service-answers.ts';

/** What steps work with. */
export interface ApprovalCore extends Core {
  readonly serviceAnswers: ServiceAnswers;
  /** How many approvals are polled in the background. */
  readonly pending: () => number;
  /** Adds the result of a call that outlives its step to the record's inbox. */
  readonly deliverResult: (id: string, step: CallBack, result: Promise<CallbackEnd>) => void;
}

/** The rules of a step that works with them. */
export type ApprovalStep<Step, Result> = StepRules<Step, Result, ApprovalCore>;

/** Send a callback: the only step whose call outlives it. */
export interface CallBack {
  readonly kind: 'call-back';
  readonly event: CallbackEvent;
  readonly at: number;
  readonly plannedAt: number;
}
