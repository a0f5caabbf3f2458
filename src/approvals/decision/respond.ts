import { attemptAt, FRESH_MS, isOf } from '../../core/engine/attempt.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { MonotonicClock } from '../../core/lib/clock.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timers } from '../../core/lib/timers.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import { deniedAlert } from '../alert.ts';
import {
  type Approval,
  type Decision,
  isOwnGate,
  type Phase,
  STATUS_OF,
  withPhase,
} from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { goodForMs, SHOW_AFTER_MS } from '../schedule.ts';
import type { ApprovalCore, ApprovalStep } from './approval-core.ts';
import { authorityOf, type CallEnd } from './authority.ts';
import { giveUp, retryInTime, settlePhase } from './decision.ts';
import { canBeUndone } from './guards.ts';
import { markUpdate, renderedAgain, type Updated, updateEnded } from './redraw.ts';
import { learnOutcome, type Sent } from './transitions.ts';

/** Send the decision (Interface 4.4). */
export interface Respond {
  readonly kind: 'respond';
  readonly plannedAt: number;
  /** An own gate's decision is made by the save: a result from another worker does not count. */
  readonly isOwn?: true;
}

interface Responded {
  readonly kind: 'responded';
  readonly end: CallEnd;
  /** What was sent: a late response may find another decision. Absent: an earlier version sent it. */
  readonly sent?: Sent;
  /** Whether the message was updated to say that the decision is being sent; absent: no need. */
  readonly sending?: 'shown' | 'unclear';
}

export function dueRespond(approval: Approval, { timing }: Terms, now: number): Due<Respond> {
  const phase = approval.decision?.phase;
  const isFresh = phase?.name === 'send' && now <= phase.askedAt + goodForMs(timing);
  if (!isFresh) return null;
  return { kind: 'respond', plannedAt: now, ...(isOwnGate(approval) && { isOwn: true as const }) };
}

/** Updates the message to say that the decision is being sent. */
export type ShowSending = (core: ApprovalCore, id: string, approval: Approval) => Promise<Updated>;

export const respond = (showSending: ShowSending): ApprovalStep<Respond, Responded> => ({
  /**
   * Also notes that the message may be updated during the call. The save itself decides an own gate; one that can
   * be undone is saved before, which shows whether it was.
   */
  markAttempt(approval, step, timing, now) {
    const decision = decisionOf(approval);
    if (isOwnGate(approval)) return canBeUndone(decision) ? { data: approval } : undefined;
    const noted = markUpdate(approval, step, timing, now, SHOW_AFTER_MS);
    const attempt = attemptAt(step, timing, now);
    const phase: Phase = { name: 'sending', attempt, sends: decision.phase.sends };
    const { action, by, serviceUser } = decision;
    const facts = { action, serviceUser: serviceUser ?? null };
    return {
      data: withPhase(noted, decision, phase),
      audit: [{ action: 'approvals.respond', record: null, actor: by, facts }],
    };
  },

  async execute(core, id, approval, step) {
    const decision = decisionOf(approval);
    const authority = authorityOf(core, approval);
    const ended = await sendDecision({
      response: authority.respond(approval, decision, step),
      showSending: () => showSending(core, id, approval),
      timers: core.timers,
      ages: core.ages,
    });
    return { kind: 'responded', ...ended, sent: { decision, ballots: approval.ballots } };
  },

  apply(approval, step, { end, sent, sending }, { timing }, now) {
    // The save decides an own gate: what was read before it may have changed.
    if (isOwnGate(approval) && now > step.plannedAt + FRESH_MS) return { data: approval };
    const { decision } = approval;
    const isOurs = decision?.phase.name === 'sending' && isOf(step, decision.phase.attempt);
    const isShown = isOurs ? sending !== 'unclear' : sending === undefined;
    const ended = isOurs ? updateEnded(approval) : approval;
    const shown = isShown ? ended : renderedAgain(ended, timing, now);
    // An own gate has no response: its outcome has an audit entry.
    const responses = isOwnGate(approval) ? [] : [responseEntry(end)];
    if (end.kind === 'status') {
      const { status, resolvedAt } = end.answer;
      if (status !== 'PENDING' && status !== 'UNKNOWN') {
        const isMade = sent !== undefined && STATUS_OF[sent.decision.action] === status;
        // Otherwise one that began later is not credited.
        const isPresent = decision !== undefined && decision.at <= step.plannedAt;
        const how = isMade || isOurs || isPresent ? 'confirmed' : 'refused';
        const learned = { status, resolvedAt, how, ...(isMade && { sent }) } as const;
        const { data, audit = [] } = learnOutcome(shown, learned, now);
        return { data, audit: [...responses, ...audit] };
      }
    }
    // A late failure says nothing about later calls: they read the status.
    if (!isOurs) return { data: shown, audit: responses };
    const failure = end.kind === 'failed' ? end.failure : NOT_FINAL;
    return { data: applyFailure(shown, failure, timing, now), audit: responses };
  },

  alerts: (_before, _step, { end }) =>
    deniedAlert('answer-denied', end.kind === 'failed' ? end.failure : undefined),
});

/** The service's response to a decision, for the audit log. */
function responseEntry(end: CallEnd): NewAuditEntry {
  const facts =
    end.kind === 'status'
      ? { answer: end.answer.status }
      : { answer: end.failure.code, class: end.failure.class };
  return { action: 'approvals.answered', record: null, actor: 'gatepost', facts };
}

function decisionOf({ decision }: Approval): Decision {
  if (decision === undefined) throw new Error('there is no decision to send');
  return decision;
}

/**
 * Waits for the response to a decision. After a second the message says that it is being sent; both calls have ended
 * when this returns, so that no later update is overtaken. A process that was stopped in between does not update the
 * message: others may have shown a later state.
 */
async function sendDecision(calls: {
  readonly response: Promise<CallEnd>;
  readonly showSending: () => Promise<Updated>;
  readonly timers: Timers;
  readonly ages: MonotonicClock;
}): Promise<Pick<Responded, 'end' | 'sending'>> {
  const { timers, ages } = calls;
  const showBy = ages.monotonic() + SHOW_AFTER_MS + FRESH_MS;
  let cancel = () => {};
  const slow = new Promise<'slow'>((resolve) => {
    cancel = timers.after(SHOW_AFTER_MS, () => resolve('slow'));
  });
  const first = await Promise.race([calls.response, slow]).finally(cancel);
  if (first !== 'slow') return { end: first };
  if (ages.monotonic() > showBy) return { end: await calls.response };
  const [end, shown] = await Promise.all([calls.response, calls.showSending()]);
  const isUnclear = shown.kind === 'failed' && shown.failure.class === 'ambiguous';
  return { end, sending: isUnclear ? 'unclear' : 'shown' };
}

/** A success without a final status: the decision was taken, and the status is read. */
const NOT_FINAL = { class: 'unreadable', code: 'no_final_status' } as const;

function applyFailure(
  approval: Approval,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Approval {
  const { decision } = approval;
  if (decision?.phase.name !== 'sending') return approval;
  const { sends, attempt } = decision.phase;
  if (failure.class === 'not-sent') return retryNotSent(approval, decision, failure, timing, now);
  if (failure.status === 429) return retryLimited(approval, decision, failure, timing, now);
  const isClear = failure.class === 'refused' && !UNCLEAR.has(failure.status ?? 0);
  if (isClear) return giveUp(approval, decision, failure, timing, now);
  return withPhase(approval, decision, settlePhase(sends, failure, now, attempt.mustEndBy));
}

/** Refusals that a decision made elsewhere, or our own with a lost response, could cause. */
const UNCLEAR: ReadonlySet<number> = new Set([404, 409, 410]);
const LIMITED_MAX = 2;

function retryNotSent(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Approval {
  const sends = { ...decision.phase.sends, notSent: decision.phase.sends.notSent + 1 };
  const notBefore = retryInTime(decision, sends.notSent - 1, failure, timing, now);
  if (notBefore === undefined) return giveUp(approval, decision, failure, timing, now);
  // The reads before the next try continue this count, to limit the tries in total.
  const phase: Phase = { name: 'check', tries: sends.notSent, notBefore, sends };
  return withPhase(approval, decision, phase);
}

function retryLimited(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Approval {
  const sends = { ...decision.phase.sends, limited: decision.phase.sends.limited + 1 };
  if (sends.limited > LIMITED_MAX) {
    return giveUp(approval, decision, failure, timing, now);
  }
  const notBefore = now + (failure.retryAfterMs ?? timing.defaultRetryAfterMs);
  return withPhase(approval, decision, { name: 'check', tries: 1, notBefore, sends });
}
