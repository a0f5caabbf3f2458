import type { FailureFacts } from '../lib/failure.ts';
import { type Folded, QUIET_MS } from '../reconcile/flow.ts';
import { type Approval, type Part, partNamed, withPart } from './approval.ts';
import { attemptAt, isOf } from './attempt.ts';
import { type Face, faceKey } from './face.ts';
import type { Step, StepResult } from './step.ts';
import { DEFAULT_RETRY_AFTER_MS, patientWaitMs, REFUSED_POST_MS, RETRY_MS } from './timing.ts';

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
  return withPart(approval, { ...part, turn: true, notBefore: now + result.waitMs });
}

/** Notes that a part is about to be posted. */
export function beginPost(approval: Approval, step: PostStep, now: number): Approval {
  const { notBefore, turn, ...rest } = partNamed(approval, step.part, step.channel);
  return withPart(approval, { ...rest, attempt: attemptAt(step, now) });
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
    return { data: withTs(approval, part, result, step.face), audit: [entry] };
  }
  if (result.kind !== 'failed') throw new Error(`a post does not end as ${result.kind}`);
  return { data: withPart(approval, afterFailedPost(part, result.failure, now)) };
}

function withTs(
  approval: Approval,
  part: Part,
  posted: { readonly ts: string },
  face: Face | undefined,
): Approval {
  const { attempt, tries, notBefore, failed, ...rest } = part;
  const data = withPart(approval, { ...rest, ts: posted.ts });
  if (part.name !== 'message' || face === undefined) return data;
  return { ...data, shown: faceKey(face) };
}

function afterFailedPost(part: Part, failure: FailureFacts, now: number): Part {
  // It may be there: it is looked for before anything is repeated.
  const isUnclear = failure.class === 'ambiguous' || failure.class === 'unreadable';
  if (isUnclear) return part;
  const { attempt, ...closed } = part;
  const tries = (part.tries ?? 0) + 1;
  if (failure.status === 429) {
    return { ...closed, notBefore: now + (failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) };
  }
  if (failure.class === 'not-sent') {
    return { ...closed, tries, notBefore: now + patientWaitMs(tries - 1, RETRY_MS[0], 60_000) };
  }
  // An announcement that Slack refuses is given up; the message itself is needed, and an
  // invitation or a scope may mend it.
  if (part.name !== 'message') return { ...closed, tries, failed: failure.code };
  const waitMs = patientWaitMs(tries - 1, REFUSED_POST_MS.first, REFUSED_POST_MS.most);
  return { ...closed, tries, notBefore: now + waitMs };
}

/** Folds the search for a post whose answer was lost. */
export function foldFound(
  approval: Approval,
  step: Extract<Step, { kind: 'find' }>,
  result: StepResult,
  now: number,
): Approval {
  const part = partNamed(approval, step.part, undefined);
  const { attempt, ...closed } = part;
  if (part.ts !== undefined || attempt === undefined) return approval;
  // Which face was posted is not known: the next update states the present one.
  if (result.kind === 'posted') return withTs(approval, part, result, undefined);
  const quietAt = attempt.mustEndBy + QUIET_MS;
  // What the search saw may be as old as its beginning.
  const isQuiet = step.plannedAt >= quietAt;
  const { notBefore, ...again } = closed;
  if (result.kind === 'not-found') {
    if (isQuiet) return withPart(approval, { ...again, tries: (part.tries ?? 0) + 1 });
    return withPart(approval, { ...part, notBefore: quietAt });
  }
  if (result.kind !== 'failed') throw new Error(`a search does not end as ${result.kind}`);
  const { failure } = result;
  // Slack will not let us look: a copy is better than nobody being asked, and buttons on a copy
  // lead to the message that counts.
  const mayNotLook = failure.class === 'refused' && failure.status !== 429;
  if (mayNotLook && isQuiet) return withPart(approval, again);
  const waitMs = failure.retryAfterMs ?? DEFAULT_RETRY_AFTER_MS;
  return withPart(approval, { ...part, notBefore: mayNotLook ? quietAt : now + waitMs });
}

/** Folds the opening of a direct message. */
export function foldOpened(
  approval: Approval,
  name: string,
  result: StepResult,
  now: number,
): Approval {
  const part = partNamed(approval, name, undefined);
  if (result.kind === 'opened') {
    const { tries, notBefore, ...rest } = part;
    return withPart(approval, { ...rest, channel: result.channel });
  }
  if (result.kind !== 'failed') throw new Error(`an opening does not end as ${result.kind}`);
  const { failure } = result;
  const tries = (part.tries ?? 0) + 1;
  const isFinal = failure.class === 'refused' && failure.status !== 429;
  if (isFinal || tries > OPENS_MAX) return withPart(approval, { ...part, failed: failure.code });
  const waitMs = failure.retryAfterMs ?? patientWaitMs(tries - 1, RETRY_MS[0], 60_000);
  return withPart(approval, { ...part, tries, notBefore: now + waitMs });
}

const OPENS_MAX = 8;
