import { beginTelling, foldTelling } from '../posts/fold-telling.ts';
import { showAnew } from '../posts/telling.ts';
import type { Begun, Flow, Folded } from '../reconcile/flow.ts';
import { runOf } from '../reconcile/press-again.ts';
import { firstPhase } from '../reconcile/sending.ts';
import type { Signal } from '../store/store.ts';
import { foldChecked } from './fold-checked.ts';
import { foldLook } from './fold-look.ts';
import { beginSend, foldSent } from './fold-sent.ts';
import { audienceOf, decodeMove, encodeMove, isRepeatable, MOVE_KIND, type Move } from './move.ts';
import type { MoveStep, MoveStepResult } from './move-step.ts';
import { type PerformMoveNeeds, performMove } from './perform-move.ts';
import { planMove } from './plan-move.ts';

/** What happens to a move from outside, as its inbox holds it. Written and read by Gatepost alone. */
export type MoveSignal =
  /** The person wants the same sent once more; `run`: what they saw. */
  | { readonly kind: 'again'; readonly run?: number }
  /** The modal may show what held when another press was acknowledged. */
  | { readonly kind: 'covered' }
  /** A result that its worker could not save, because somebody else holds the record. */
  | { readonly kind: 'result'; readonly step: MoveStep; readonly result: MoveStepResult };

export interface MoveFlowNeeds extends PerformMoveNeeds {
  /** How long a finished move is kept. */
  readonly keepMs: number;
}

/** How moves are reconciled. */
export function createMoveFlow(needs: MoveFlowNeeds): Flow<Move, MoveStep, MoveStepResult> {
  return {
    kind: MOVE_KIND,
    decode: decodeMove,
    encode: encodeMove,
    placeOf: () => null,
    take: takeMoveSignal,
    plan: (move, now) => planMove(move, needs, now),
    begin,
    perform: (move, step, id) => performMove(needs, id, move, step),
    fold: foldMove,
    resultSignal: (step, result) => encodeMoveSignal({ kind: 'result', step, result }),
    describe: (step, result) => ({
      step: `move-${step.kind}`,
      result: result.kind === 'answered' ? result.answer.kind : result.kind,
      ...(result.kind === 'failed' && { failure: result.failure }),
    }),
  };
}

export function encodeMoveSignal(signal: MoveSignal): string {
  return JSON.stringify(signal);
}

function takeMoveSignal(move: Move, { body }: Signal, now: number): Folded<Move> {
  // as: written by `encodeMoveSignal` alone
  const signal = JSON.parse(body) as MoveSignal;
  if (signal.kind === 'result') return foldMove(move, signal.step, signal.result, now);
  if (signal.kind === 'covered') return { data: showAnew(move, now) };
  if (!isRepeatable(move) || runOf(signal) !== runOf(move)) return { data: move };
  const { outcome, alerted, ...rest } = move;
  // What was lost must not arrive behind what is sent now.
  const notBefore = Math.max(now, move.doubt?.quietAt ?? 0);
  return {
    data: { ...rest, run: runOf(move) + 1, phase: firstPhase(notBefore) },
    audit: [
      {
        action: 'tasks.move.again',
        record: null,
        actor: move.draft.by,
        facts: { task: move.draft.item.id },
      },
    ],
  };
}

/** What is noted before it is tried. */
function begin(move: Move, step: MoveStep, now: number): Begun<Move> | undefined {
  switch (step.kind) {
    case 'send':
      return { ...beginSend(move, step, now), durable: true };
    case 'check':
    case 'look':
    case 'alert':
    case 'remember':
      return undefined;
    default:
      return beginTelling(move, audienceOf(move), step, now);
  }
}

/** Folds a step's result into the move: pure, and the same for a result that comes late or twice. */
export function foldMove(
  move: Move,
  step: MoveStep,
  result: MoveStepResult,
  now: number,
): Folded<Move> {
  switch (step.kind) {
    case 'check':
      return foldChecked(move, result, now);
    case 'send':
      return foldSent(move, step, result, now);
    case 'look':
      return foldLook(move, step, result, now);
    case 'alert':
      return { data: { ...move, alerted: true } };
    case 'remember':
      return { data: { ...move, remembered: true } };
    default:
      return foldTelling(move, toldTo(move), step, result, now);
  }
}

function toldTo(move: Move) {
  return { audience: audienceOf(move), action: 'tasks.move.post' };
}
