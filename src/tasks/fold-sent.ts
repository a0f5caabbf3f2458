import type { FailureFacts } from '../lib/failure.ts';
import { isOf } from '../reconcile/attempt.ts';
import { type Folded, QUIET_MS } from '../reconcile/flow.ts';
import { said } from '../reconcile/said.ts';
import { sendBegun, sendFailed } from '../reconcile/sending.ts';
import type { MoveOutcome } from '../service/move-task.ts';
import { over } from './ending.ts';
import { isMoved, type Move, type Phase } from './move.ts';
import type { MoveStep, MoveStepResult } from './move-step.ts';

type SendStep = Extract<MoveStep, { kind: 'send' }>;
type LookPhase = Extract<Phase, { name: 'look' }>;

/** Notes that the move is about to be sent. */
export function beginSend(move: Move, step: SendStep, now: number): Folded<Move> {
  const { draft } = move;
  const facts = { task: draft.item.id, project: draft.target.projectId };
  return {
    data: { ...move, phase: sendBegun(move.phase, step, now) },
    audit: [{ action: 'tasks.move.send', record: null, actor: draft.by, facts }],
  };
}

/** Folds what the service answered to a move (Interface 7.1). */
export function foldSent(
  move: Move,
  step: SendStep,
  result: MoveStepResult,
  now: number,
): Folded<Move> {
  const isOurs = move.phase.name === 'sending' && isOf(step, move.phase.attempt);
  if (result.kind === 'answered') {
    const { answer } = result;
    // Late or not: the service said that it moved it.
    if (answer.kind === 'moved') return isMoved(move) ? { data: move } : moved(move, answer);
    return isOurs ? foldRefused(move, answer, now) : { data: move };
  }
  // A late failure says nothing of what is known since.
  if (!isOurs) return { data: move };
  if (result.kind === 'no-key') return over(move, { code: 'no-key' });
  if (result.kind !== 'failed') throw new Error(`a sending does not end as ${result.kind}`);
  return foldFailed(move, result.failure, now);
}

function moved(move: Move, { kind, id, ...facts }: MoveOutcome & { kind: 'moved' }): Folded<Move> {
  return over(move, { code: 'moved', ...facts });
}

function foldRefused(
  move: Move,
  { kind, detail }: Exclude<MoveOutcome, { kind: 'moved' }>,
  now: number,
): Folded<Move> {
  if (kind === 'changed') return { data: { ...move, phase: lookFor('changed', now) } };
  // After a sending that was lost its effect, too, can be what the service does not accept now.
  if (kind === 'invalid' && move.doubt !== undefined) {
    return { data: { ...move, phase: { ...lookFor('invalid', now), ...said(detail) } } };
  }
  return over(move, { code: kind, ...said(detail) });
}

function foldFailed(move: Move, failure: FailureFacts, now: number): Folded<Move> {
  if (move.phase.name !== 'sending') return { data: move };
  const { attempt } = move.phase;
  const after = sendFailed(move.phase, failure, now);
  switch (after.kind) {
    case 'again':
      return { data: { ...move, phase: after.phase } };
    case 'over':
      return over(move, { code: after.code, ...said(failure.detail) });
    case 'lost':
      return { data: lost(move, attempt.mustEndBy, now) };
  }
}

/** Nobody knows whether it arrived: it is looked up, and never sent again by itself. */
export function lost(move: Move, mustEndBy: number, now: number): Move {
  return { ...move, doubt: { quietAt: mustEndBy + QUIET_MS }, phase: lookFor('lost', now) };
}

function lookFor(why: LookPhase['why'], now: number): LookPhase {
  return { name: 'look', why, looks: 0, notBefore: now };
}
