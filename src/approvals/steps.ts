/**
 * All steps of an approval: one file each, with when it is due, its attempt, its call and how its result is applied
 * (`electorate/step-rules.ts` describes the parts). `plan.ts` decides the order.
 */

import type { Failed } from '../core/engine/call-result.ts';
import type { Applied, MarkedAttempt } from '../core/engine/flow.ts';
import type { FailureFacts } from '../core/lib/failure.ts';
import type { Timing } from '../core/lib/timing.ts';
import { type ApprovalAlert, slackAlert } from './alert.ts';
import type { Approval } from './approval.ts';
import type { ApprovalCore, CallBack } from './decision/approval-core.ts';
import { type Authorize, authorize, statusBeside } from './decision/authorize.ts';
import { BAR_STEPS, type ReadBar } from './decision/bars.ts';
import { FEATURE_STEPS, type FeatureStep } from './decision/feature-hooks.ts';
import type { Pause } from './decision/guard.ts';
import { type IdentifyRequester, identifyRequester } from './decision/identify-requester.ts';
import { pauses } from './decision/pause.ts';
import { type ReadStatus, readStatus } from './decision/read-status.ts';
import { type Respond, respond } from './decision/respond.ts';
import { type Resume, resume } from './decision/resume.ts';
import { type CountReviewers, countReviewers } from './electorate/count-reviewers.ts';
import { type FindAbsent, findAbsent } from './electorate/find-absent.ts';
import type { StepRules } from './electorate/step-rules.ts';
import type { Terms } from './electorate/terms.ts';
import { isSealed } from './failure.ts';
import { withResumesDue } from './lists.ts';
import { type AlertAdministrators, alertAdministrators, withAlert } from './tell/alert.ts';
import { callBack } from './tell/call-back.ts';
import { type PostingStep, post } from './tell/post.ts';
import { type Recall, recall } from './tell/recall.ts';
import { type RefreshHome, refreshHome } from './tell/refresh-home.ts';
import { reply, type SendReply } from './tell/reply.ts';
import { showSending, type Update, update } from './tell/update.ts';

/** One thing to do next. */
export type Step =
  | ReadStatus
  | ReadBar
  | Authorize
  | IdentifyRequester
  | CountReviewers
  | FindAbsent
  | PostingStep
  | Recall
  | Update
  | Pause
  | Respond
  | SendReply
  | AlertAdministrators
  | RefreshHome
  | CallBack
  | Resume
  | FeatureStep;

const STEPS = {
  'read-status': readStatus,
  ...BAR_STEPS,
  authorize,
  'identify-requester': identifyRequester,
  'count-reviewers': countReviewers,
  'find-absent': findAbsent,
  'find-post': post,
  'open-conversation': post,
  'take-slot': post,
  post,
  recall,
  update,
  ...pauses,
  respond: respond(showSending),
  reply,
  'refresh-home': refreshHome,
  alert: alertAdministrators,
  'call-back': callBack,
  resume,
  ...FEATURE_STEPS,
} satisfies {
  [Kind in Step['kind']]: StepRules<Extract<Step, { readonly kind: Kind }>, unknown>;
};

export type StepResult = Awaited<ReturnType<(typeof STEPS)[Step['kind']]['execute']>>;

/** The rules of a step's kind, which also get the results they returned. */
function rulesOf({ kind }: Step): StepRules<Step, StepResult> {
  return STEPS[kind];
}

export function markAttempt(
  approval: Approval,
  step: Step,
  timing: Timing,
  now: number,
): MarkedAttempt<Approval> | undefined {
  return rulesOf(step).markAttempt?.(approval, step, timing, now);
}

export function executeStep(
  core: ApprovalCore,
  id: string,
  approval: Approval,
  step: Step,
): Promise<StepResult> {
  return rulesOf(step).execute(core, id, approval, step);
}

/** Applies a step's result, and the status that was read along with it. */
export function applyResult(
  approval: Approval,
  step: Step,
  result: StepResult,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const applied = applyOne(approval, step, result, terms, now);
  const beside = step.kind === 'authorize' ? statusBeside(step, result, applied.data) : undefined;
  if (beside === undefined) return applied;
  if (!beside.counts) return applied;
  if (!beside.isFinal) {
    const read = applyOne(applied.data, beside.step, beside.result, terms, now);
    return withAudit(applied, read);
  }
  // If it is decided, the read comes first: nobody needs to know what failed.
  const read = applyOne(approval, beside.step, beside.result, terms, now);
  const late = applyOne(read.data, step, result, terms, now);
  return withAudit(read, late);
}

/** The second, with what both leave in the audit log. */
function withAudit(...both: readonly [Applied<Approval>, Applied<Approval>]): Applied<Approval> {
  return { ...both[1], audit: both.flatMap(({ audit = [] }) => audit) };
}

/** Adds alerts for administrators, and lists to resume. */
function applyOne(
  approval: Approval,
  step: Step,
  result: StepResult,
  terms: Terms,
  now: number,
): Applied<Approval> {
  const applied = rulesOf(step).apply(approval, step, result, terms, now);
  const { data } = applied;
  // A result that changed nothing raises no alert.
  const alerts = data === approval ? [] : alertsOf(approval, step, result, data);
  return { ...applied, data: withResumesDue(approval, alerts.reduce(withAlert, data)) };
}

function alertsOf(
  before: Approval,
  step: Step,
  result: StepResult,
  after: Approval,
): readonly ApprovalAlert[] {
  const failure = failureIn(result);
  if (failure !== undefined && isSealed(failure)) return [{ cause: 'sealed' }];
  const { alerts } = rulesOf(step);
  if (alerts !== undefined) return alerts(before, step, result, after);
  const refused = failure && slackAlert(failure);
  return refused === undefined ? [] : [refused];
}

/** The failure of the step's call. */
export function failureIn(result: StepResult): FailureFacts | undefined {
  const end: StepResult | Failed | { readonly kind: 'status' } =
    result.kind === 'responded' ? result.end : result;
  return end.kind === 'failed' ? end.failure : undefined;
}
