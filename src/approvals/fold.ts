import type { Folded } from '../reconcile/flow.ts';
import { patientWaitMs, RETRY_MS } from '../reconcile/patience.ts';
import { type Alarm, aboutOf } from './alarm.ts';
import { alarmsOf } from './alarms-of.ts';
import { type Approval, LOOKUPS_MAX } from './approval.ts';
import { foldExamined } from './fold-examined.ts';
import { foldLook } from './fold-look.ts';
import { foldFound, foldOpened, foldPosted, foldTurn } from './fold-posted.ts';
import { foldResponded } from './fold-responded.ts';
import { foldTold } from './fold-told.ts';
import { foldRecalled, foldUpdated } from './fold-updated.ts';
import {
  isLetIn,
  NOT_LET_IN,
  watchedAgain,
  withDebts,
  withoutWake,
  withWake,
} from './standstill.ts';
import type { Step, StepResult } from './step.ts';
import type { Terms } from './terms.ts';

/** Folds a step's result into the approval: pure, and the same for a result that comes late or twice. */
export function fold(
  approval: Approval,
  step: Step,
  result: StepResult,
  terms: Terms,
  now: number,
): Folded<Approval> {
  const folded = foldOne(approval, step, result, terms, now);
  const look = 'beside' in result ? result.beside?.look : undefined;
  if (step.kind !== 'examine' || step.look === undefined || look === undefined) return folded;
  if (!countsBeside(folded.data, result)) {
    return {
      ...folded,
      data: 'letInAgain' in look ? withWake(folded.data, NOT_LET_IN) : folded.data,
    };
  }
  const looked = foldOne(
    folded.data,
    { kind: 'look', why: 'decide', ...step.look },
    look,
    terms,
    now,
  );
  return { ...looked, audit: [...(folded.audit ?? []), ...(looked.audit ?? [])] };
}

/**
 * Whether the status counts that was read beside an examination: an outcome does for everybody. Anything
 * else does only for the decision that was made, and not for one of which it is still to be found out
 * whether it may go on.
 */
function countsBeside(examined: Approval, result: StepResult): boolean {
  const beside = 'beside' in result ? result.beside : undefined;
  if (beside?.look === undefined) return false;
  const { look, others } = beside;
  if (look.kind === 'status' && FINAL.has(look.answer.status)) return true;
  const isDecided = examined.decision !== undefined && result.kind === 'accepted';
  return isDecided && Object.values(others).every(({ kind }) => kind !== 'failed');
}

const FINAL: ReadonlySet<string> = new Set(['APPROVED', 'REJECTED', 'TIMED_OUT']);

function foldOne(
  approval: Approval,
  step: Step,
  result: StepResult,
  terms: Terms,
  now: number,
): Folded<Approval> {
  const letIn = isLetIn(step, result);
  const folded = foldStep(letIn ? watchedAgain(approval) : approval, step, result, terms, now);
  const { data } = folded;
  // A result that came too late to change anything is no trouble to anybody either.
  const alarms = data === approval ? [] : alarmsOf(approval, step, result, data);
  const indebted = withDebts(approval, alarms.reduce(withAlarm, data), letIn);
  const isNews = 'letInAgain' in result;
  return { ...folded, data: isNews ? withWake(indebted, NOT_LET_IN) : indebted };
}

function foldStep(
  approval: Approval,
  step: Step,
  result: StepResult,
  terms: Terms,
  now: number,
): Folded<Approval> {
  switch (step.kind) {
    case 'look':
      return foldLook(approval, step, result, terms, now);
    case 'examine':
      return foldExamined(approval, step.click, result, terms, now);
    case 'identify':
      return { data: foldIdentified(approval, result, now) };
    case 'open':
      return { data: foldOpened(approval, step.part, result, now) };
    case 'find':
      return { data: foldFound(approval, step, result, now) };
    case 'turn':
      return { data: foldTurn(approval, step, result, now) };
    case 'post':
      return foldPosted(approval, step, result, now);
    case 'update':
      return { data: foldUpdated(approval, step, result, now) };
    case 'recall':
      return foldRecalled(approval, result, terms, now);
    case 'respond':
      return foldResponded(approval, step, result, now);
    case 'tell':
      return { data: foldTold(approval, step.tell, result, now) };
    case 'alarm':
      return { data: withoutAlarm(approval, step.alarm) };
    case 'wake':
      return { data: withoutWake(approval, step.list) };
  }
}

function withAlarm(approval: Approval, alarm: Alarm): Approval {
  const { alarms = [] } = withoutAlarm(approval, alarm);
  return { ...approval, alarms: [...alarms, alarm] };
}

function withoutAlarm({ alarms = [], ...rest }: Approval, alarm: Alarm): Approval {
  const others = alarms.filter((each) => aboutOf(each) !== aboutOf(alarm));
  return others.length === 0 ? rest : { ...rest, alarms: others };
}

/** Trouble with the lookup costs a few tries; an answer, or a refusal, ends it. */
function foldIdentified(approval: Approval, result: StepResult, now: number): Approval {
  const { requester } = approval;
  if (requester === undefined) return approval;
  const { notBefore, ...asked } = requester;
  if (result.kind === 'identified' && result.user !== null) {
    return { ...approval, requester: { ...asked, user: result.user } };
  }
  const failure = result.kind === 'failed' ? result.failure : undefined;
  if (failure === undefined || (failure.class === 'refused' && failure.status !== 429)) {
    return { ...approval, requester: { ...asked, lookups: LOOKUPS_MAX } };
  }
  const lookups = (asked.lookups ?? 0) + 1;
  const waitMs = failure.retryAfterMs ?? patientWaitMs(lookups - 1, RETRY_MS[0], 60_000);
  return { ...approval, requester: { ...asked, lookups, notBefore: now + waitMs } };
}
