import { type FailureFacts, RemoteFailure } from '../../lib/failure.ts';
import type { Folded } from '../../reconcile/flow.ts';
import { troubleOf } from '../trouble.ts';
import type { AccountChange, Outcome, Phase } from './account-change.ts';
import type { ChangeStep, ChangeStepResult } from './change-step.ts';
import { doneWith } from './done-with.ts';
import { over } from './ending.ts';
import { lookAgain } from './fold-checked.ts';
import { foldConfirmed } from './fold-confirmed.ts';
import { foldLostLook } from './fold-lost-look.ts';
import { lost } from './fold-sent.ts';
import { outcomeOf, type Stand, standOf, standOfCreating } from './stand.ts';

type LookStep = Extract<ChangeStep, { kind: 'look' }>;
type SendNext = Extract<Phase, { name: 'send' }>;

/** Folds how the accounts stand: before anything is sent, or after. */
export function foldLook(
  change: AccountChange,
  step: LookStep,
  result: ChangeStepResult,
  now: number,
): Folded<AccountChange> {
  if (result.kind === 'no-token') return over(change, { code: 'no-token' });
  const seen = result.kind === 'failed' ? result.failure : seenIn(change, result);
  const { phase } = change;
  if (phase.name === 'send') return foldLookBefore(change, phase, seen, now);
  // Its process died while it was on its way.
  const known = phase.name === 'sending' ? lost(change, phase, { hasEnded: false, now }) : change;
  if (known.phase.name !== 'look') return { data: change };
  return known.phase.why === 'answered'
    ? foldConfirmed(known, known.phase, seen, now)
    : foldLostLook(known, known.phase, seen, { seenAt: step.plannedAt, now });
}

function seenIn({ wish }: AccountChange, result: ChangeStepResult): Stand {
  if (result.kind === 'foreseen' && wish.kind === 'create') {
    return standOfCreating(wish.foreseen, result.provisioning);
  }
  if (result.kind === 'seen' && wish.kind !== 'create') return standOf(wish, result.account);
  throw new Error(`a look does not end as ${result.kind}`);
}

function foldLookBefore(
  change: AccountChange,
  phase: SendNext,
  seen: Stand | FailureFacts,
  now: number,
): Folded<AccountChange> {
  if ('class' in seen) {
    const again = lookAgain(phase, seen, now);
    return again === null ? over(change, troubleWith(seen)) : { data: { ...change, phase: again } };
  }
  switch (seen.kind) {
    case 'untouched':
      return { data: { ...change, phase: { ...phase, seenAt: now } } };
    case 'fulfilled': {
      if (change.doubt === undefined) {
        return over(change, { code: change.wish.kind === 'create' ? 'otherwise' : 'already' });
      }
      // What was sent before and lost has done it.
      return over(change, { ...doneWith(change.wish, seen.account), found: true });
    }
    default:
      return over(change, outcomeOf(seen));
  }
}

function troubleWith(failure: FailureFacts): Outcome {
  const { code, detail } = troubleOf(new RemoteFailure('look at accounts', failure));
  return { code, ...(detail !== null && { detail }) };
}
