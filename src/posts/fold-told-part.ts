import { isOf } from '../reconcile/attempt.ts';
import type { Folded } from '../reconcile/flow.ts';
import {
  directNotOpened,
  directOpened,
  postFailed,
  postKnown,
  searchedInVain,
  turnTaken,
} from './fold-part.ts';
import type { Part } from './part.ts';
import {
  type Audience,
  type Face,
  faceKey,
  partNamed,
  type Telling,
  type TellResult,
  type ToldPartStep,
  withPart,
} from './telling.ts';

/** What a record's parts belong to. */
export interface ToldTo {
  readonly audience: Audience;
  /** What the audit log calls a post. */
  readonly action: string;
}

/** Folds a step of the announcement, or of the direct message with the result. */
export function foldToldPart<Record extends Telling>(
  record: Record,
  { audience, action }: ToldTo,
  step: ToldPartStep<Face>,
  result: TellResult,
  now: number,
): Folded<Record> {
  const part = partNamed(record, audience, step.part);
  // A late result: its message was found meanwhile.
  if (part.ts !== undefined) return { data: record };
  switch (result.kind) {
    case 'turn':
      return { data: withPart(record, turnTaken(part, result.waitMs, now)) };
    case 'opened':
      return { data: withPart(record, directOpened(part, result.channel)) };
    case 'posted':
      return posted(record, action, part, step, result);
    case 'not-found':
      return { data: withPart(record, searchedInVain(part, step, result, now)) };
    case 'failed':
      return { data: withPart(record, afterFailure(step, part, result, now)) };
    case 'done':
      throw new Error('a part does not go on with done');
  }
}

function posted<Record extends Telling>(
  record: Record,
  action: string,
  part: Part,
  step: ToldPartStep<Face>,
  { channel, ts }: Extract<TellResult, { kind: 'posted' }>,
): Folded<Record> {
  if (step.kind === 'post' && !isOf(step, part.attempt)) return { data: record };
  const known = withPart(record, { ...postKnown(part, ts), channel });
  // Which face was posted before a crash is not known: the next update states the present one.
  const isKnown = step.part === 'result' && step.kind === 'post';
  const data = isKnown ? { ...known, told: faceKey(step.face) } : known;
  const facts = { part: step.part, channel, ts };
  return { data, audit: [{ action, record: null, actor: 'gatepost', facts }] };
}

function afterFailure(
  step: ToldPartStep<Face>,
  part: Part,
  result: Extract<TellResult, { kind: 'failed' }>,
  now: number,
): Part {
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
