import type { FailureFacts } from '../lib/failure.ts';
import { attemptAt, isOf } from '../reconcile/attempt.ts';
import type { Folded } from '../reconcile/flow.ts';
import { DEFAULT_RETRY_AFTER_MS } from '../reconcile/patience.ts';
import type { Approval, Decision, Phase } from './approval.ts';
import { giveUp, retryUnreached } from './fold-decide.ts';
import { settlePhase } from './fold-settle.ts';
import { beginUpdate, renderedAgain } from './fold-updated.ts';
import { showDecidingInMs } from './send-decision.ts';
import type { Step, StepResult } from './step.ts';
import { learnOutcome, withPhase } from './transitions.ts';

type RespondStep = Extract<Step, { kind: 'respond' }>;

/** Notes that the decision is about to be sent, and that the message may be changed meanwhile. */
export function beginRespond(approval: Approval, step: RespondStep, now: number): Folded<Approval> {
  const { decision } = approval;
  if (decision === undefined) throw new Error('there is no decision to send');
  const showInMs = showDecidingInMs(decision, step);
  const noted = showInMs === undefined ? approval : beginUpdate(approval, step, now, showInMs);
  const attempt = attemptAt(step, now);
  const phase: Phase = { name: 'sending', attempt, sends: decision.phase.sends };
  const { action, by, serviceUser } = decision;
  const facts = { action, serviceUser: serviceUser ?? null };
  return {
    data: { ...noted, decision: { ...decision, phase } },
    audit: [{ action: 'approvals.respond', record: null, actor: by, facts }],
  };
}

/** Folds what the service answered to a decision (Interface 4.4). */
export function foldResponded(
  approval: Approval,
  step: RespondStep,
  result: StepResult,
  now: number,
): Folded<Approval> {
  if (result.kind !== 'responded') throw new Error(`a respond does not end as ${result.kind}`);
  const { decision } = approval;
  const { end, deciding } = result;
  const isOurs = decision?.phase.name === 'sending' && isOf(step, decision.phase.attempt);
  const isShown = isOurs ? deciding !== 'unclear' : deciding === undefined;
  const isUpdate = isOurs && showDecidingInMs(decision, step) !== undefined;
  const ended = isUpdate ? updateEnded(approval) : approval;
  const shown = isShown ? ended : renderedAgain(ended, now);
  if (end.kind === 'status') {
    const { status, resolvedAt } = end.answer;
    if (status !== 'PENDING' && status !== 'UNKNOWN') {
      // Late, it may be the answer to a decision that has ended; another's is not to be credited.
      const isPresent = decision !== undefined && decision.at <= step.plannedAt;
      return learnOutcome(
        shown,
        { status, resolvedAt, how: isPresent ? 'confirmed' : 'refused' },
        now,
      );
    }
  }
  // A late failure says nothing of what others have sent since: they look it up.
  if (!isOurs) return { data: shown };
  return { data: foldFailure(shown, end.kind === 'failed' ? end.failure : NOT_FINAL, now) };
}

/** A success that says nothing final: done, but what was done is looked up. */
const NOT_FINAL = { class: 'unreadable', code: 'no_final_status' } as const;

function foldFailure(approval: Approval, failure: FailureFacts, now: number): Approval {
  const { decision } = approval;
  if (decision?.phase.name !== 'sending') return approval;
  const { sends, attempt } = decision.phase;
  if (failure.class === 'not-sent') return retryNotSent(approval, decision, failure, now);
  if (failure.status === 429) return retryLimited(approval, decision, failure, now);
  const isClear = failure.class === 'refused' && !UNCLEAR.has(failure.status ?? 0);
  if (isClear) return giveUp(approval, decision, failure, now);
  return withPhase(approval, decision, settlePhase(sends, failure, now, attempt.mustEndBy));
}

/** Refusals that an answer given elsewhere, or our own lost one, can cause. */
const UNCLEAR: ReadonlySet<number> = new Set([404, 409, 410]);
const LIMITED_MAX = 2;

function retryNotSent(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  now: number,
): Approval {
  const sends = { ...decision.phase.sends, notSent: decision.phase.sends.notSent + 1 };
  const notBefore = retryUnreached(decision, sends.notSent - 1, failure, now);
  if (notBefore === undefined) return giveUp(approval, decision, failure, now);
  // The looks before the next try count on: the service gets so many tries, not so many squared.
  const phase: Phase = { name: 'look', tries: sends.notSent, notBefore, sends };
  return withPhase(approval, decision, phase);
}

function retryLimited(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  now: number,
): Approval {
  const sends = { ...decision.phase.sends, limited: decision.phase.sends.limited + 1 };
  if (sends.limited > LIMITED_MAX) {
    return giveUp(approval, decision, failure, now);
  }
  const notBefore = now + (failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
  return withPhase(approval, decision, { name: 'look', tries: 1, notBefore, sends });
}

/** The change of the message that `beginRespond` noted has ended with the call. */
function updateEnded(approval: Approval): Approval {
  const { update, ...rest } = approval;
  if (update === undefined) return approval;
  const { attempt, ...kept } = update;
  return Object.keys(kept).length === 0 ? rest : { ...rest, update: kept };
}
