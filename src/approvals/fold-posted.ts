import {
  directNotOpened,
  directOpened,
  postBegun,
  postFailed,
  postKnown,
  searchedInVain,
  soughtInVain,
  turnNotTaken,
  turnTaken,
} from '../posts/fold-part.ts';
import type { Part } from '../posts/part.ts';
import { isOf } from '../reconcile/attempt.ts';
import type { Folded } from '../reconcile/flow.ts';
import { type Approval, partNamed, withPart } from './approval.ts';
import { type Face, faceKey } from './face.ts';
import type { Step, StepResult } from './step.ts';

type PostStep = Extract<Step, { kind: 'post' }>;

/** Folds the turn that a part got in its channel. */
export function foldTurn(
  approval: Approval,
  step: Extract<Step, { kind: 'turn' }>,
  result: StepResult,
  now: number,
): Approval {
  if (result.kind !== 'turn') throw new Error(`taking a turn does not end as ${result.kind}`);
  const part = partNamed(approval, step.part, step.channel);
  const next = result.isLater ? turnNotTaken : turnTaken;
  return withPart(approval, next(part, result.waitMs, now));
}

/** Notes that a part is about to be posted. */
export function beginPost(approval: Approval, step: PostStep, now: number): Approval {
  return withPart(approval, postBegun(partNamed(approval, step.part, step.channel), step, now));
}

export function foldPosted(
  approval: Approval,
  step: PostStep,
  result: StepResult,
  now: number,
): Folded<Approval> {
  const part = partNamed(approval, step.part, undefined);
  // A late result: its message was found, or deleted, or is not there.
  if (part.ts !== undefined || !isOf(step, part.attempt)) return { data: approval };
  if (result.kind === 'posted') {
    const facts = { part: part.name, channel: result.channel, ts: result.ts };
    const entry = { action: 'approvals.post', record: null, actor: 'gatepost', facts };
    return { data: withTs(approval, part, result.ts, step.face), audit: [entry] };
  }
  if (result.kind !== 'failed') throw new Error(`a post does not end as ${result.kind}`);
  // Nobody is asked without the message itself.
  const isNeeded = part.name === 'message';
  return { data: withPart(approval, postFailed(part, result.failure, { isNeeded, now })) };
}

function withTs(approval: Approval, part: Part, ts: string, face: Face | undefined): Approval {
  const data = withPart(approval, postKnown(part, ts));
  if (part.name !== 'message' || face === undefined) return data;
  return { ...data, shown: faceKey(face) };
}

/** Folds the search for a post whose answer was lost. */
export function foldFound(
  approval: Approval,
  step: Extract<Step, { kind: 'find' }>,
  result: StepResult,
  now: number,
): Approval {
  const part = partNamed(approval, step.part, step.channel);
  if (part.ts !== undefined) return approval;
  // Which face was posted is not known: the next update states the present one.
  if (result.kind === 'posted') return withTs(approval, part, result.ts, undefined);
  if (result.kind !== 'not-found' && result.kind !== 'failed') {
    throw new Error(`a search does not end as ${result.kind}`);
  }
  if (part.attempt === undefined) return withPart(approval, soughtInVain(part, result, now));
  // A copy is no harm: buttons on it lead to the message that counts.
  return withPart(approval, searchedInVain(part, step, result, now));
}

/** Folds the opening of a direct message. */
export function foldOpened(
  approval: Approval,
  name: string,
  result: StepResult,
  now: number,
): Approval {
  const part = partNamed(approval, name, undefined);
  if (result.kind === 'opened') return withPart(approval, directOpened(part, result.channel));
  if (result.kind !== 'failed') throw new Error(`an opening does not end as ${result.kind}`);
  return withPart(approval, directNotOpened(part, result.failure, now));
}
