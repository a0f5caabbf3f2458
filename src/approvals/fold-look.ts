import type { FailureFacts } from '../lib/failure.ts';
import type { Folded } from '../reconcile/flow.ts';
import type { Approval, NotKnown, Watch } from './approval.ts';
import { foldDecideFailure, foldDecidePending } from './fold-decide.ts';
import { foldSettleLook, settlingOf } from './fold-settle.ts';
import { foldWatchFailure, polled, unwatched } from './fold-watch.ts';
import { isSealed } from './sealed.ts';
import type { Step, StepResult } from './step.ts';
import type { Terms } from './terms.ts';
import { becomePending, isInDoubt, learnOutcome, loseSight } from './transitions.ts';

/** Folds what the service says of the gate (Interface 4.3). */
export function foldLook(
  approval: Approval,
  { plannedAt: askedAt }: Pick<Extract<Step, { kind: 'look' }>, 'plannedAt'>,
  result: StepResult,
  terms: Terms,
  now: number,
): Folded<Approval> {
  if (approval.outcome !== undefined) return { data: approval };
  if (result.kind === 'turn') return { data: withTurn(approval, now + result.waitMs) };
  const looked = { ...approval, watch: lookedAt(approval.watch) };
  if (result.kind === 'status') return foldStatus(looked, result.answer, terms, { askedAt, now });
  if (result.kind === 'failed') {
    return { data: foldFailure(looked, result.failure, terms, { askedAt, now }) };
  }
  throw new Error(`a look does not end as ${result.kind}`);
}

/** The look that it had its turn for is over; who was woken is watched again, and tries on until there is an answer. */
function lookedAt({ turn, ...watch }: Watch): Watch {
  if (watch.woken === undefined) return watch;
  const { ended, ...again } = watch;
  return again;
}

/** The next poll has its turn at `nextAt`. */
function withTurn(approval: Approval, nextAt: number): Approval {
  return { ...approval, watch: { ...approval.watch, nextAt, turn: true } };
}

/** An answer may be as old as its question. */
type Times = { readonly askedAt: number; readonly now: number };
type Answer = Extract<StepResult, { kind: 'status' }>['answer'];

function foldStatus(
  approval: Approval,
  answer: Answer,
  terms: Terms,
  { askedAt, now }: Times,
): Folded<Approval> {
  const prompted = withPrompt(approval, answer.prompt ?? null);
  if (answer.status === 'UNKNOWN') {
    return { data: polled(loseSight(prompted, 'new-status', now), terms, now) };
  }
  if (answer.status === 'PENDING') {
    return { data: foldPending(polled(becomePending(prompted, now), terms, now), askedAt) };
  }
  const { decision } = approval;
  const how = decision !== undefined && isInDoubt(decision) ? 'lost' : 'refused';
  return learnOutcome(prompted, { status: answer.status, resolvedAt: answer.resolvedAt, how }, now);
}

/** The automation's own words win over the service's. */
function withPrompt(approval: Approval, prompt: string | null): Approval {
  if (prompt === null || approval.message !== undefined) return approval;
  return { ...approval, prompt };
}

function foldPending(approval: Approval, askedAt: number): Approval {
  const settling = settlingOf(approval, askedAt);
  if (settling !== undefined) return foldSettleLook(approval, settling, 'pending', askedAt);
  return foldDecidePending(approval, askedAt);
}

function foldFailure(
  approval: Approval,
  failure: FailureFacts,
  terms: Terms,
  { askedAt, now }: Times,
): Approval {
  const notShown = NOT_SHOWN.get(failure.status);
  if (notShown !== undefined) {
    const why = isShownBefore(approval) ? 'gone' : notShown;
    return polled(loseSight(approval, why, now), terms, now);
  }
  if (isSealed(failure)) return unwatched(loseSight(approval, 'sealed', now));
  const settling = settlingOf(approval, askedAt);
  if (settling !== undefined) return foldSettleLook(approval, settling, 'failed', askedAt);
  if (failure.class === 'unreadable') {
    return polled(loseSight(approval, 'unreadable', now), terms, now);
  }
  const { decision } = approval;
  if (decision !== undefined) return foldDecideFailure(approval, decision, failure, now);
  return foldWatchFailure(approval, failure, terms, now);
}

/** The service does not know the token, or will not show it any more. */
const NOT_SHOWN: ReadonlyMap<number | undefined, NotKnown> = new Map([
  [404, 'not-known-404'],
  [409, 'not-known-409'],
  [410, 'not-known-410'],
]);

function isShownBefore({ watch }: Approval): boolean {
  const isUnknown = [...NOT_SHOWN.values()].some((why) => why === watch.why);
  return watch.checkedAt !== undefined && !isUnknown;
}
