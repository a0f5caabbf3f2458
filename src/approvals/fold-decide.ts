import type { FailureFacts } from '../lib/failure.ts';
import { DEFAULT_RETRY_AFTER_MS, RETRY_MS } from '../reconcile/patience.ts';
import type { Approval, Decision } from './approval.ts';
import { isSealed } from './sealed.ts';
import { type ClosedCode, closedSentence } from './sentences.ts';
import { closeDecision, loseSight, withPhase } from './transitions.ts';
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

/** Tries again a few times; then the buttons come back, and nothing was sent. */
export function foldDecideFailure(
  approval: Approval,
  decision: Decision,
  failure: FailureFacts,
  now: number,
  code = lookClosedCode(failure),
): Approval {
  const { name, sends } = decision.phase;
  if (name !== 'look' && name !== 'send') return approval;
  const phase = name === 'look' ? decision.phase : ({ name: 'look', tries: 1, sends } as const);
  const waitMs = waitAfter(failure, phase.tries);
  if (waitMs === undefined) return giveUp(approval, decision, failure, now, code);
  const next = { ...phase, tries: phase.tries + 1, notBefore: now + waitMs };
  return withPhase(approval, decision, next);
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
function waitAfter(failure: FailureFacts, tries: number): number | undefined {
  if (tries >= RETRY_MS.length) return undefined;
  if (failure.status === 429) return failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
  if (failure.class === 'refused') return undefined;
  // The first look is cut short to notice a slow service; it has waited long enough.
  if (tries === 0 && failure.code === 'timeout') return 0;
  return RETRY_MS[tries];
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
