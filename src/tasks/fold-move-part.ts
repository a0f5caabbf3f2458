import {
  directNotOpened,
  directOpened,
  postFailed,
  postKnown,
  searchedInVain,
  turnTaken,
} from '../posts/fold-part.ts';
import { isOf } from '../reconcile/attempt.ts';
import type { Folded } from '../reconcile/flow.ts';
import { type Move, partNamed, withPart } from './move.ts';
import { faceKey } from './move-face.ts';
import type { MoveStepResult, PartMoveStep } from './move-step.ts';

/** Folds a step of the announcement, or of the direct message with the result. */
export function foldMovePart(
  move: Move,
  step: PartMoveStep,
  result: MoveStepResult,
  now: number,
): Folded<Move> {
  const part = partNamed(move, step.part);
  // A late result: its message was found meanwhile.
  if (part.ts !== undefined) return { data: move };
  switch (result.kind) {
    case 'turn':
      return { data: withPart(move, turnTaken(part, result.waitMs, now)) };
    case 'opened':
      return { data: withPart(move, directOpened(part, result.channel)) };
    case 'posted':
      return posted(move, step, result);
    case 'not-found':
      return { data: withPart(move, searchedInVain(part, step, result, now)) };
    case 'failed':
      return { data: withPart(move, afterFailure(step, part, result, now)) };
    default:
      throw new Error(`a part does not go on with ${result.kind}`);
  }
}

function posted(
  move: Move,
  step: PartMoveStep,
  { channel, ts }: Extract<MoveStepResult, { kind: 'posted' }>,
): Folded<Move> {
  const part = partNamed(move, step.part);
  if (step.kind === 'post' && !isOf(step, part.attempt)) return { data: move };
  const known = withPart(move, { ...postKnown(part, ts), channel });
  // Which face was posted before a crash is not known: the next update states the present one.
  const isKnown = step.part === 'result' && step.kind === 'post';
  const data = isKnown ? { ...known, told: faceKey(step.face) } : known;
  const facts = { part: step.part, channel, ts };
  return { data, audit: [{ action: 'tasks.move.post', record: null, actor: 'gatepost', facts }] };
}

function afterFailure(
  step: PartMoveStep,
  part: ReturnType<typeof partNamed>,
  result: Extract<MoveStepResult, { kind: 'failed' }>,
  now: number,
) {
  switch (step.kind) {
    case 'open':
      return directNotOpened(part, result.failure, now);
    case 'find':
      return searchedInVain(part, step, result, now);
    case 'post':
      if (!isOf(step, part.attempt)) return part;
      return postFailed(part, result.failure, { isNeeded: false, now });
    case 'turn':
      throw new Error('taking a turn does not fail');
  }
}
