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
import { worksAgain } from './standstill.ts';
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
  const folded = foldStep(approval, step, result, terms, now);
  // A result that came too late to change anything is no news either.
  if (folded.data === approval) return folded;
  const alarmed = alarmsOf(approval, step, result, folded.data).reduce(withAlarm, folded.data);
  const waking = worksAgain(approval, step, result, folded.data).reduce(withWake, alarmed);
  return { ...folded, data: waking };
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

function withWake(approval: Approval, list: string): Approval {
  const { wakes = [] } = withoutWake(approval, list);
  return { ...approval, wakes: [...wakes, list] };
}

function withoutWake({ wakes = [], ...rest }: Approval, list: string): Approval {
  const others = wakes.filter((each) => each !== list);
  return others.length === 0 ? rest : { ...rest, wakes: others };
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
