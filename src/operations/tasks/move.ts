import type { MoveOutcome } from '../../core/service/move-task.ts';
import type { Task, TaskRead } from '../../core/service/task.ts';
import type { OperationRecord, OperationState } from '../flow/operation.ts';
import { detailOf, unclear } from '../flow/progress.ts';
import type {
  OutcomeOf,
  Progress,
  ReadPhase,
  ReadResult,
  Rules,
  Unclear,
  Verdict,
} from '../flow/rules.ts';
import type { Draft, Target } from './draft.ts';
import { type Changes, changesIn, itemsOf, whereIs } from './item.ts';
import type { MoveRefusal } from './may-move.ts';

export const MOVE_KIND = 'move';

/** A move that a person has reviewed and confirmed. */
export interface MoveTypes {
  readonly wish: MoveWish;
  readonly answer: MoveOutcome;
  /** blind: items cannot be read. */
  readonly reading: TaskRead | { readonly kind: 'blind' };
  /** The service answered 409; or 422, after a lost call. */
  readonly why: 'changed' | 'invalid';
  readonly outcome: OwnOutcome;
  readonly refusal: MoveRefusal;
}

interface MoveWish {
  /** Exactly this is sent. */
  readonly draft: ReviewedDraft;
  /** The id under which forms find the draft, for a day. */
  readonly draftId: string;
}

export type ReviewedDraft = Draft & { readonly target: Target };

export type Move = OperationRecord<MoveTypes>;
export type MoveState = OperationState<MoveTypes>;
export type Outcome = OutcomeOf<MoveTypes>;
export type Moved = Extract<Outcome, { code: 'moved' | 'found-moved' }>;

type OwnOutcome =
  /** Confirmed by the service (Interface 4.1); null where its answer does not say. */
  | ({ readonly code: 'moved' } & MovedFacts)
  /** Its answer was lost, but the item is now in the destination. */
  | { readonly code: 'found-moved'; readonly key: string | null }
  /** Its answer was lost or unclear; the item is unchanged. */
  | ({ readonly code: 'not-moved' } & Unclear)
  /** 409, or 422 after a lost call: moved by that call, or changed by somebody. */
  | { readonly code: 'moved-or-changed' }
  | { readonly code: 'changed'; readonly changes?: Changes }
  | {
      readonly code: 'invalid' | 'unauthorized' | 'forbidden' | 'not-found';
      /** The service's own words. */
      readonly detail?: string;
    };

interface MovedFacts {
  readonly key: string | null;
  readonly spaceSlug: string | null;
  readonly projectSlug: string | null;
  readonly movedCount: number | null;
  readonly droppedFieldCount: number | null;
}

/** A repeated move is refused, so any confirmation settles it. */
export const MOVE_RULES: Rules<MoveTypes> = {
  kind: MOVE_KIND,
  audit: 'tasks.move',
  factsOf({ draft: { item, target, from } }, action) {
    const facts = { task: item.id };
    if (action === 'send') return { ...facts, project: target.projectId };
    if (action !== 'asked') return facts;
    const { projectId: project, typeId: type } = target;
    return { ...facts, project, type, items: itemsOf(item).length, read: from };
  },
  outcomeFacts: (outcome) => ({
    ...('key' in outcome && { key: outcome.key }),
    ...(outcome.code === 'moved' && { items: outcome.movedCount }),
  }),
  confirms: ({ kind }) => kind === 'moved',
  isDoneOnce: true,
  verdict: answerVerdict,
  isSuccess: ({ code }) => code === 'moved' || code === 'found-moved',
  settling: new Set<Outcome['code']>(['moved', 'found-moved', 'not-moved', 'changed', 'invalid']),
  repeatable: new Set<Outcome['code']>([
    'unknown',
    'not-moved',
    'not-reached',
    'busy',
    'could-not-check',
    'account-not-read',
    'store-not-read',
  ]),
  /**
   * The service detects changes of the item and of its set of sub-items, but not of a sub-item's status (Interface
   * 4.1): if the item can be read, that is checked before sending.
   */
  reading: { isFirst: ({ draft }) => draft.from === 'http', verdict: readingVerdict },
};

/** The service's answer (Interface 7.1). */
function answerVerdict(
  { unconfirmed }: Progress<MoveTypes>,
  answer: MoveOutcome,
): Verdict<MoveTypes> {
  if (answer.kind === 'moved') {
    const { kind, id, ...facts } = answer;
    return { kind: 'done', outcome: { code: 'moved', ...facts } };
  }
  const { kind, detail } = answer;
  if (kind === 'changed') return { kind: 'read-back', why: 'changed' };
  // After a lost call, what the service rejects may be the effect of that call.
  if (kind === 'invalid' && unconfirmed !== undefined) {
    return { kind: 'read-back', why: 'invalid', ...detailOf(detail) };
  }
  return { kind: 'done', outcome: { code: kind, ...detailOf(detail) } };
}

/** The item as read: before sending, or to find out the effect of a call. */
function readingVerdict(
  progress: Progress<MoveTypes>,
  phase: ReadPhase<MoveTypes>,
  result: ReadResult<MoveTypes>,
): Verdict<MoveTypes> {
  const { found, timing, now } = result;
  const item = 'reading' in found && found.reading.kind === 'found' ? found.reading.task : null;
  if (phase.name === 'send')
    return item === null ? { kind: 'ready' } : beforeSending(progress, item);
  if (item !== null) return foundVerdict(progress, phase, item, result);
  if ('failure' in found || found.reading.kind === 'incomplete') {
    const retryAfterMs = 'failure' in found ? found.failure.retryAfterMs : undefined;
    const waitMs = timing.readBackMs[phase.reads];
    if (waitMs !== undefined) {
      return { kind: 'read-again', notBefore: now + (retryAfterMs ?? waitMs) };
    }
  }
  return unseen(progress, phase);
}

type ReadBackPhase = Extract<ReadPhase<MoveTypes>, { name: 'read-back' }>;

/** Where a reading is not conclusive, the service decides. */
function beforeSending(progress: Progress<MoveTypes>, item: Task): Verdict<MoveTypes> {
  const where = whereIs(progress.wish.draft, item);
  return where === 'moved' || where === 'changed'
    ? otherwise(progress, where, item)
    : { kind: 'ready' };
}

function foundVerdict(
  progress: Progress<MoveTypes>,
  phase: ReadBackPhase,
  item: Task,
  { readAt, timing }: Pick<ReadResult<MoveTypes>, 'readAt' | 'timing'>,
): Verdict<MoveTypes> {
  const where = whereIs(progress.wish.draft, item);
  if (where === 'unclear') return unseen(progress, phase);
  if (where === 'moved') return otherwise(progress, where, item);
  const quietAt = progress.unconfirmed?.quietAt ?? 0;
  // A lost call may still arrive, and move a tree in which only a status has changed.
  if (readAt < quietAt) {
    const waitMs = timing.readBackMs[phase.reads] ?? Number.POSITIVE_INFINITY;
    return { kind: 'read-again', notBefore: Math.min(readAt + waitMs, quietAt) };
  }
  if (where === 'changed') return otherwise(progress, where, item);
  const { why, detail } = phase;
  if (why === 'lost') return { kind: 'done', outcome: { code: 'not-moved', ...unclear(phase) } };
  if (why === 'changed') return { kind: 'done', outcome: { code: 'changed' } };
  return { kind: 'done', outcome: { code: 'invalid', ...detailOf(detail) } };
}

/** It is no longer as reviewed. */
function otherwise(
  { unconfirmed, wish: { draft } }: Progress<MoveTypes>,
  where: 'moved' | 'changed',
  item: Task,
): Verdict<MoveTypes> {
  if (where === 'moved' && unconfirmed !== undefined) {
    return { kind: 'done', outcome: { code: 'found-moved', key: item.key } };
  }
  const isElsewhere = item.projectId !== draft.item.projectId || item.key !== draft.item.key;
  // It may have been moved by us, and then by somebody else.
  if (isElsewhere && unconfirmed !== undefined) {
    return { kind: 'done', outcome: { code: 'moved-or-changed' } };
  }
  return { kind: 'done', outcome: { code: 'changed', changes: changesIn(draft, item) } };
}

/** The state of the item is not known. */
function unseen({ unconfirmed }: Progress<MoveTypes>, phase: ReadBackPhase): Verdict<MoveTypes> {
  const { why } = phase;
  if (why === 'lost') return { kind: 'done', outcome: { code: 'unknown', ...unclear(phase) } };
  return {
    kind: 'done',
    outcome: { code: unconfirmed === undefined ? 'changed' : 'moved-or-changed' },
  };
}

/** Outcomes after which the move has to be reviewed again. */
const REVIEWABLE: ReadonlySet<Outcome['code']> = new Set([
  'changed',
  'moved-or-changed',
  'invalid',
]);

export function isReviewable({ phase, outcome }: Move): boolean {
  if (phase.name !== 'done' || outcome === undefined) return false;
  return REVIEWABLE.has(outcome.code) && (outcome.code !== 'invalid' || isAboutChoices(outcome));
}

/** Whether other choices may help: the service's words, if any, mention statuses or the type. */
function isAboutChoices({ detail }: { readonly detail?: string }): boolean {
  return detail === undefined || /status|type/iu.test(detail);
}
