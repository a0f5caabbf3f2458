import type { FailureFacts } from '../../lib/failure.ts';
import { allowed, authorizingFailed } from '../../operations/sending.ts';
import type { Folded } from '../../reconcile/flow.ts';
import { RETRY_MS } from '../../reconcile/patience.ts';
import type { AccountChange, Phase } from './account-change.ts';
import type { ChangeStepResult } from './change-step.ts';
import { over } from './ending.ts';

type SendNext = Extract<Phase, { name: 'send' }>;

/** Folds whether the person may. */
export function foldChecked(
  change: AccountChange,
  result: ChangeStepResult,
  now: number,
): Folded<AccountChange> {
  const { phase } = change;
  // A late answer: the present one counts.
  if (phase.name !== 'authorize' && phase.name !== 'send') return { data: change };
  switch (result.kind) {
    case 'allowed': {
      const next: Phase = allowed(phase, now);
      if (phase.name !== 'send' || next.name !== 'send')
        return { data: { ...change, phase: next } };
      return { data: { ...change, phase: { ...next, looks: phase.looks ?? 0 } } };
    }
    case 'not-allowed':
      return over(change, { code: 'not-allowed', refusal: result.code });
    case 'failed': {
      const again = authorizingFailed(phase, result.failure, now);
      return again === null
        ? over(change, { code: 'could-not-check' })
        : { data: { ...change, phase: again } };
    }
    default:
      throw new Error(`a check does not end as ${result.kind}`);
  }
}

/** Folds whether the account is protected. */
export function foldGuarded(
  change: AccountChange,
  result: ChangeStepResult,
  now: number,
): Folded<AccountChange> {
  const { phase } = change;
  if (phase.name !== 'send') return { data: change };
  switch (result.kind) {
    case 'free':
      return { data: { ...change, phase: { ...phase, guardedAt: now } } };
    case 'own-account':
    case 'last-administrator':
      return over(change, { code: result.kind });
    case 'one-at-a-time':
      return { data: { ...change, phase: { ...phase, notBefore: now + TURN_WAIT_MS } } };
    case 'failed': {
      const again = lookAgain(phase, result.failure, now);
      return again === null
        ? over(change, { code: 'could-not-check' })
        : { data: { ...change, phase: again } };
    }
    default:
      throw new Error(`a guard does not end as ${result.kind}`);
  }
}

const TURN_WAIT_MS = 2_000;

/** What has to be known before anything is sent could not be read; null: it was tried often enough. */
export function lookAgain(phase: SendNext, failure: FailureFacts, now: number): SendNext | null {
  const { looks = 0 } = phase;
  const waitMs = RETRY_MS[looks];
  const isFinal = failure.class === 'refused' && failure.status !== 429;
  if (waitMs === undefined || isFinal) return null;
  return { ...phase, looks: looks + 1, notBefore: now + (failure.retryAfterMs ?? waitMs) };
}
