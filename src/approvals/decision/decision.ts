/**
 * The course of a decision. Before it is sent the status is read, and has to be PENDING. After an unclear response the
 * status is read again until the effect is known.
 */

import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import {
  type Approval,
  type Decision,
  type Phase,
  type UnknownWhy,
  type WaitsFor,
  withPhase,
} from '../approval.ts';
import { isOutage, isSealed } from '../failure.ts';
import { nextTryAt } from '../schedule.ts';
import { withdrawn } from './feature-hooks.ts';
import { canBeUndone } from './guards.ts';
import type { ClosedCode, Unsent } from './statement.ts';
import { closeDecision, isUnconfirmed, markUnknown } from './transitions.ts';

/** The gate is open: a decision that waited for this can be sent. */
export function sendWhenPending(approval: Approval, timing: Timing, askedAt: number): Approval {
  const { decision } = approval;
  if (decision?.phase.name !== 'check' && decision?.phase.name !== 'send') return approval;
  if (approval.withdrawnAt !== undefined) return endUnsent(approval, timing, askedAt);
  const { sends } = decision.phase;
  return withPhase(approval, decision, { name: 'send', sends, askedAt });
}

/**
 * Retries a decision for half a minute from the press if the service cannot be reached or answers with errors, and a
 * few times if it is busy; then gives up, so that the buttons come back, with nothing sent.
 */
export function retryUnsent(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  timing: Timing,
  now: number,
  { code = readClosedCode(failure), waitsFor }: { code?: ClosedCode; waitsFor?: WaitsFor } = {},
): Approval {
  const { name, sends } = decision.phase;
  if (name !== 'check' && name !== 'send') return approval;
  const phase: Extract<Phase, { name: 'check' }> =
    name === 'check' ? decision.phase : { name: 'check', tries: 1, notBefore: now, sends };
  const { tries, failed = 0 } = phase;
  const isOut = isOutage(failure);
  const notBefore = isOut
    ? retryInTime(decision, tries, failure, timing, now)
    : afterResponse(failure, failed, timing, now);
  if (notBefore === undefined) return giveUp(approval, decision, failure, timing, now, code);
  const { waitsFor: _, ...rest } = phase;
  return withPhase(approval, decision, {
    ...rest,
    tries: tries + 1,
    notBefore,
    ...(!isOut && { failed: failed + 1 }),
    ...(waitsFor !== undefined && { waitsFor }),
  });
}

/** When to retry a decision that waits for the service; undefined: no longer. */
export function retryInTime(
  { asker }: Decision,
  tries: number,
  { code }: FailureFacts,
  timing: Timing,
  now: number,
): number | undefined {
  return nextTryAt({ pressedAt: asker.at, tries, isTimeout: code === 'timeout' }, timing, now);
}

/** Nothing was sent this time; if an earlier try was sent, nobody may read that nothing was. */
export function giveUp(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  timing: Timing,
  now: number,
  code = closedCode(failure),
): Approval {
  const { sends } = decision.phase;
  if (sends.ambiguous > 0) return stopSending(approval, decision, timing, now);
  if (sends.limited > 0 && NOTHING_SENT.has(code)) {
    return closeDecision(approval, { code: 'closed', why: 'busy' });
  }
  return closeDecision(approval, { code: 'closed', why: code, detail: failure.detail });
}

/** Codes whose sentences say that nothing was sent: not true of a decision that was sent and met a 429. */
const NOTHING_SENT: ReadonlySet<ClosedCode> = new Set([
  'not-reached',
  'silent',
  'failing',
  'not-shown',
  'could-not-check',
  'may-not-check',
]);

/** undefined: retrying would not help. */
function afterResponse(
  failure: FailureFacts,
  failed: number,
  { retryMs, defaultRetryAfterMs }: Timing,
  now: number,
): number | undefined {
  const waitMs = retryMs[failed];
  if (waitMs === undefined) return undefined;
  if (failure.status === 429) return now + (failure.retryAfterMs ?? defaultRetryAfterMs);
  return failure.class === 'refused' ? undefined : now + waitMs;
}

/** The same for a read: the service did not refuse the decision. */
function readClosedCode(failure: FailureFacts): ClosedCode {
  const code = closedCode(failure);
  return code === 'invalid' ? 'not-shown' : code;
}

/** Which sentence says why a call was given up. */
function closedCode(failure: FailureFacts): ClosedCode {
  if (isSealed(failure)) return 'sealed';
  if (failure.status === 429) return 'busy';
  if (failure.status === 401 || failure.status === 403) return 'denied';
  if (failure.class === 'refused') return 'invalid';
  return outageCode(failure);
}

/** The same for a service that did not answer, or answered with an error. */
export function outageCode({ class: kind, status }: FailureFacts): ClosedCode {
  if (status !== undefined) return 'failing';
  return kind === 'not-sent' ? 'not-reached' : 'silent';
}

/** Ends the decision of a withdrawn request, unless it is in flight. */
export function endUnsent(approval: Approval, timing: Timing, at: number): Approval {
  const { decision } = approval;
  const isSent = decision?.phase.name === 'sending' || decision?.phase.name === 'settle';
  if (decision === undefined || isSent) return approval;
  return isUnconfirmed(decision)
    ? markUnknown(approval, 'unsure', timing, at)
    : closeDecision(approval, withdrawn(approval));
}

type SettlePhase = Extract<Phase, { name: 'settle' }>;
type Settling = Decision & { readonly phase: SettlePhase };

/** The decision, if its effect is being looked up, also because its process died while sending it. */
export function settlingOf({ decision }: Approval, now: number): Settling | undefined {
  if (decision === undefined) return undefined;
  const { phase } = decision;
  if (phase.name === 'settle') return { ...decision, phase };
  if (phase.name !== 'sending') return undefined;
  const failure = { class: 'ambiguous', code: 'process_ended' } as const;
  const { mustEndBy } = phase.attempt;
  return { ...decision, phase: settlePhase(phase.sends, failure, now, mustEndBy) };
}

export function settlePhase(
  sends: SettlePhase['sends'],
  failure: SettlePhase['failure'],
  endedAt: number,
  mustEndBy: number,
): SettlePhase {
  return { name: 'settle', sends, failure, endedAt, mustEndBy, looks: 0, notBefore: endedAt };
}

/** Applies a read that found no final status. `askedAt`: when it began, which is how old its answer may be. */
export function settleOn(
  approval: Approval,
  decision: Settling,
  found: 'pending' | 'failed',
  timing: Timing,
  askedAt: number,
): Approval {
  const { phase } = decision;
  const isQuiet = askedAt >= phase.mustEndBy + timing.quietMs;
  if (found === 'pending' && phase.failure.class === 'ambiguous' && isQuiet) {
    return sendAgain(approval, decision, timing, askedAt);
  }
  const looks = phase.looks + 1;
  const notBefore = nextReadAt(phase, looks, timing, askedAt);
  if (notBefore !== undefined) {
    return withPhase(approval, decision, { ...phase, looks, notBefore });
  }
  const isRefused = phase.failure.class === 'refused' && phase.sends.ambiguous === 0;
  if (isRefused && found === 'pending') {
    const { detail } = phase.failure;
    return closeDecision(approval, { code: 'closed', why: 'refused', detail });
  }
  return markUnknown({ ...approval, decision }, whyLost(phase, isRefused), timing, askedAt);
}

function whyLost({ failure }: SettlePhase, isRefused: boolean): UnknownWhy {
  if (isRefused) return 'silent';
  return failure.class === 'unreadable' ? 'unreadable' : 'unsure';
}

/** The same action again, never the opposite. */
function sendAgain(
  approval: Approval,
  decision: Settling,
  timing: Timing,
  askedAt: number,
): Approval {
  const { sends } = decision.phase;
  const isWithdrawn = approval.withdrawnAt !== undefined;
  const isUndone = canBeUndone(decision) && decision.takers !== undefined;
  if (isWithdrawn || isUndone || sends.ambiguous > 0) {
    const unsure = markUnknown({ ...approval, decision }, 'unsure', timing, askedAt);
    return isWithdrawn ? unsure : askedSoon(unsure, decision, timing, askedAt);
  }
  const next = { ...sends, ambiguous: sends.ambiguous + 1 };
  return withPhase(approval, decision, { name: 'send', sends: next, askedAt });
}

/**
 * The gate was open after a decision whose response was lost, and nothing more is sent. A read soon after decides
 * whether people can decide again, instead of at the pace of the approval's age; the decision's author is told the
 * result.
 */
function askedSoon(
  approval: Approval,
  { asker }: Decision,
  { lostTwiceMs }: Timing,
  askedAt: number,
): Approval {
  const nextAt = Math.min(approval.watch.nextAt, askedAt + lostTwiceMs);
  return { ...approval, watch: { ...approval.watch, nextAt, askers: [asker] } };
}

/** The response to a decision was lost, and it is not sent again; `note` says why, if known. */
export function stopSending(
  approval: Approval,
  decision: Decision,
  timing: Timing,
  now: number,
  note?: Unsent,
): Approval {
  return askedSoon(
    markUnknown({ ...approval, decision }, 'unsure', timing, now, { note }),
    decision,
    timing,
    now,
  );
}

/** undefined: it was read often enough. */
function nextReadAt(
  phase: SettlePhase,
  looks: number,
  { settleReadsMs, quietMs }: Timing,
  askedAt: number,
): number | undefined {
  const offset = settleReadsMs[looks];
  if (offset !== undefined) return phase.endedAt + offset;
  // What was sent last may still be in flight: one read after that.
  const quietAt = phase.mustEndBy + quietMs;
  return phase.failure.class === 'ambiguous' && askedAt < quietAt ? quietAt : undefined;
}
