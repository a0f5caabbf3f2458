import type { FailureFacts } from '../lib/failure.ts';
import { DEFAULT_RETRY_AFTER_MS, RETRY_MS } from '../reconcile/patience.ts';
import type { Approval, Decision, Phase } from './approval.ts';
import { type ClosedCode, closedSentence } from './message/sentences.ts';
import { isSealed } from './sealed.ts';
import { nextTryAt } from './timing.ts';
import { closeDecision, loseSight, withPhase } from './transitions.ts';
import { isUnreached } from './trouble.ts';
import { endUnsent } from './withdraw.ts';

/** The status is read before a decision is sent. */

/** The gate is open: a decision that waited for that can be sent. */
export function foldDecidePending(approval: Approval, askedAt: number): Approval {
  const { decision } = approval;
  if (decision?.phase.name !== 'look' && decision?.phase.name !== 'send') return approval;
  if (approval.withdrawnAt !== undefined) return endUnsent(approval, askedAt);
  const { sends } = decision.phase;
  return withPhase(approval, decision, { name: 'send', sends, askedAt });
}

/**
 * A service that cannot be reached is tried for half a minute from the press, one that fails a few
 * times; then the buttons come back, and nothing was sent.
 */
export function foldDecideFailure(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  now: number,
  code = lookClosedCode(failure),
): Approval {
  const { name, sends } = decision.phase;
  if (name !== 'look' && name !== 'send') return approval;
  const phase: Extract<Phase, { name: 'look' }> =
    name === 'look' ? decision.phase : { name: 'look', tries: 1, notBefore: now, sends };
  const { tries, failed = 0 } = phase;
  const isTold = !isUnreached(failure);
  const notBefore = isTold
    ? afterAnswer(failure, failed, now)
    : retryUnreached(decision, tries, failure, now);
  if (notBefore === undefined) return giveUp(approval, decision, failure, now, code);
  const next = { ...phase, tries: tries + 1, notBefore, ...(isTold && { failed: failed + 1 }) };
  return withPhase(approval, decision, next);
}

/** When a decision whose call did not reach the service is tried again; undefined: not any more. */
export function retryUnreached(
  { asker }: Decision,
  tries: number,
  { code }: FailureFacts,
  now: number,
): number | undefined {
  return nextTryAt({ pressedAt: asker.at, tries, isTimeout: code === 'timeout' }, now);
}

/** Nothing was sent this time; if something was before, nobody may read that nothing was. */
export function giveUp(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  now: number,
  code = closedCode(failure),
): Approval {
  const { sends } = decision.phase;
  if (sends.ambiguous > 0) return loseSight(approval, 'unsure', now);
  if (sends.limited > 0 && NOTHING_SENT.has(code)) {
    return closeDecision(approval, closedSentence('busy'));
  }
  return closeDecision(approval, closedSentence(code, failure.detail));
}

/** Whose sentences say so: an answer that met a 429 was sent, and not taken. */
const NOTHING_SENT: ReadonlySet<ClosedCode> = new Set([
  'not-reached',
  'silent',
  'not-shown',
  'could-not-check',
  'may-not-check',
]);

/** undefined: trying again is of no use. */
function afterAnswer(failure: FailureFacts, failed: number, now: number): number | undefined {
  const waitMs = RETRY_MS[failed];
  if (waitMs === undefined) return undefined;
  if (failure.status === 429) return now + (failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS);
  return failure.class === 'refused' ? undefined : now + waitMs;
}

/** The same of a look: what it was refused is no answer. */
function lookClosedCode(failure: FailureFacts): ClosedCode {
  const code = closedCode(failure);
  return code === 'invalid' ? 'not-shown' : code;
}

/** Which sentence tells why a call was given up. */
function closedCode(failure: FailureFacts): ClosedCode {
  if (isSealed(failure)) return 'sealed';
  if (failure.status === 429) return 'busy';
  if (failure.status === 401 || failure.status === 403) return 'denied';
  if (failure.class === 'refused') return 'invalid';
  return failure.class === 'not-sent' ? 'not-reached' : 'silent';
}
