import type { Folded } from '../reconcile/flow.ts';
import type { Task } from '../service/task.ts';
import { changesIn, whereIs } from './compare.ts';
import { over } from './ending.ts';
import { lost } from './fold-sent.ts';
import type { Move, Phase } from './move.ts';
import type { MoveStep, MoveStepResult } from './move-step.ts';

/** Waits between looks, as long as the item seems untouched or cannot be read. */
const LOOKS_MS = [2_000, 5_000, 5_000, 10_000] as const;

/** Folds what was found when the item was read again. */
export function foldLook(
  move: Move,
  step: Extract<MoveStep, { kind: 'look' }>,
  result: MoveStepResult,
  now: number,
): Folded<Move> {
  const { phase } = move;
  if (phase.name === 'send') return foldLookBefore(move, phase, result, now);
  // Its process died while the move was on its way.
  const known = phase.name === 'sending' ? lost(move, phase.attempt.mustEndBy, now) : move;
  if (known.phase.name !== 'look') return { data: move };
  switch (result.kind) {
    case 'blind':
      return unseen(known, known.phase);
    case 'read':
      if (result.read.kind === 'found') {
        return foldFound(known, known.phase, result.read.task, step.plannedAt);
      }
      return unseen(known, known.phase);
    case 'failed': {
      const next = later(known.phase, result.failure.retryAfterMs, now);
      return next === undefined ? unseen(known, known.phase) : { data: { ...known, phase: next } };
    }
    default:
      throw new Error(`a look does not end as ${result.kind}`);
  }
}

type LookPhase = Extract<Phase, { name: 'look' }>;

/** `seenAt`: what was found may be as old as that. */
function foldFound(move: Move, phase: LookPhase, found: Task, seenAt: number): Folded<Move> {
  const where = whereIs(move.draft, found);
  if (where === 'unclear') return unseen(move, phase);
  if (where === 'moved') return foldOtherwise(move, where, found);
  const quietAt = move.doubt?.quietAt ?? 0;
  // What was lost can still arrive, and move a tree in which only a status has changed.
  if (seenAt < quietAt) {
    const next = later(phase, undefined, seenAt);
    const notBefore = Math.min(next?.notBefore ?? quietAt, quietAt);
    return { data: { ...move, phase: { ...phase, looks: phase.looks + 1, notBefore } } };
  }
  if (where === 'changed') return foldOtherwise(move, where, found);
  const { why, detail } = phase;
  if (why === 'lost') return over(move, { code: 'not-moved' });
  if (why === 'changed') return over(move, { code: 'changed' });
  return over(move, { code: 'invalid', ...(detail !== undefined && { detail }) });
}

/** It is not as it was reviewed any more. */
function foldOtherwise(move: Move, where: 'moved' | 'changed', found: Task): Folded<Move> {
  const { doubt, draft } = move;
  if (where === 'moved' && doubt !== undefined) {
    return over(move, { code: 'found-moved', key: found.key });
  }
  const isElsewhere = found.projectId !== draft.item.projectId || found.key !== draft.item.key;
  // It may have been moved by us and then on by somebody.
  if (isElsewhere && doubt !== undefined) return over(move, { code: 'moved-or-changed' });
  return over(move, { code: 'changed', changes: changesIn(draft, found) });
}

/** A look before anything is sent; where it tells nothing the service decides. */
function foldLookBefore(
  move: Move,
  phase: Extract<Phase, { name: 'send' }>,
  result: MoveStepResult,
  now: number,
): Folded<Move> {
  if (result.kind === 'read' && result.read.kind === 'found') {
    const where = whereIs(move.draft, result.read.task);
    if (where === 'moved' || where === 'changed') {
      return foldOtherwise(move, where, result.read.task);
    }
  }
  return { data: { ...move, phase: { ...phase, seenAt: now } } };
}

/** undefined: it was tried often enough. */
function later(phase: LookPhase, retryAfterMs: number | undefined, now: number) {
  const waitMs = LOOKS_MS[phase.looks];
  if (waitMs === undefined) return undefined;
  return { ...phase, looks: phase.looks + 1, notBefore: now + (retryAfterMs ?? waitMs) };
}

/** Nobody can tell how the item stands. */
function unseen(move: Move, { why }: LookPhase): Folded<Move> {
  if (why === 'lost') return over(move, { code: 'unknown' });
  return over(move, { code: move.doubt === undefined ? 'changed' : 'moved-or-changed' });
}
