import type { FailureFacts } from '../../lib/failure.ts';
import { detailOf } from '../../operations/progress.ts';
import { type Sending, sendBegun, sendFailed } from '../../operations/sending.ts';
import { isOf } from '../../reconcile/attempt.ts';
import { type Folded, QUIET_MS } from '../../reconcile/flow.ts';
import type { AccountChange } from './account-change.ts';
import type { ChangeStep, ChangeStepResult } from './change-step.ts';
import { doneWith } from './done-with.ts';
import { entryOf, over } from './ending.ts';

type SendStep = Extract<ChangeStep, { kind: 'send' }>;

/** Notes that it is about to be sent. */
export function beginSend(
  change: AccountChange,
  step: SendStep,
  now: number,
): Folded<AccountChange> {
  return {
    data: { ...change, phase: sendBegun(change.phase, step, now) },
    audit: [entryOf(change, 'people.send')],
  };
}

/** Folds what the service answered (Interface 4.5). */
export function foldSent(
  change: AccountChange,
  step: SendStep,
  result: ChangeStepResult,
  now: number,
): Folded<AccountChange> {
  const { phase } = change;
  const sending = phase.name === 'sending' && isOf(step, phase.attempt) ? phase : null;
  if (result.kind === 'answered') {
    const { answer } = result;
    const isDone = answer.kind === 'provisioned' || answer.kind === 'changed';
    // Late or not: the service said that it did it.
    if (isDone) return answered(change, answer.user, { isLate: sending === null, now });
    return sending === null
      ? { data: change }
      : over(change, { code: answer.kind, ...detailOf(answer.detail) });
  }
  // A late failure says nothing of what is known since.
  if (sending === null) return { data: change };
  if (result.kind === 'no-token') return over(change, { code: 'no-token' });
  if (result.kind !== 'failed') throw new Error(`a sending does not end as ${result.kind}`);
  return foldFailed(change, sending, result.failure, now);
}

function answered(
  change: AccountChange,
  user: Parameters<typeof doneWith>[1],
  { isLate, now }: { readonly isLate: boolean; readonly now: number },
): Folded<AccountChange> {
  const { phase, outcome } = change;
  // The same is on its way again, and has an answer of its own; or it is known to be done.
  if (isLate && (phase.name === 'sending' || outcome?.code === 'done')) return { data: change };
  if (user !== null) return over(change, doneWith(change.wish, user));
  const phaseOfLook = { name: 'look', why: 'answered', looks: 0, notBefore: now } as const;
  return { data: { ...change, phase: phaseOfLook } };
}

function foldFailed(
  change: AccountChange,
  sending: Sending,
  failure: FailureFacts,
  now: number,
): Folded<AccountChange> {
  const after = sendFailed(sending, failure, now);
  switch (after.kind) {
    case 'again':
      return { data: { ...change, phase: after.phase } };
    case 'done':
      return over(change, { code: CODES[after.code], ...detailOf(failure.detail) });
    case 'lost':
      return { data: lost(change, sending, { hasEnded: true, now }) };
  }
}

const CODES = { 'not-reached': 'unreachable', busy: 'throttled', refused: 'refused' } as const;

/** Nobody knows whether it arrived: it is looked up before anything is sent again. */
export function lost(
  change: AccountChange,
  { attempt }: Sending,
  { hasEnded, now }: { readonly hasEnded: boolean; readonly now: number },
): AccountChange {
  const quietAt = attempt.mustEndBy + QUIET_MS;
  const doubt = { quietAt, lost: (change.doubt?.lost ?? 0) + 1, hasEnded };
  return { ...change, doubt, phase: { name: 'look', why: 'lost', looks: 0, notBefore: now } };
}
