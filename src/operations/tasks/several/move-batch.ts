import { type Batch, type BatchRecord, type LineEnd, lineState } from '../../batch/batch.ts';
import type { ReadTask, Target } from '../draft.ts';
import { statusesIn } from '../item.ts';
import type { MoveRefusal } from '../may-move.ts';
import {
  MOVE_RULES,
  type Move,
  type MoveTypes,
  type Outcome,
  type ReviewedDraft,
} from '../move.ts';

export const MOVE_BATCH_KIND = 'move-batch';

/** Several moves to one destination that a person has reviewed and confirmed. */
export interface MoveBatch extends BatchRecord<MoveTypes> {
  readonly target: Target;
  /** For all statuses in use: each item is sent with those of its own tree. */
  readonly choices: ReviewedDraft['choices'];
  /** What was reviewed. */
  readonly draftId: string;
  readonly lines: readonly MoveLine[];
}

export type MoveLine = ReadTask & LineEnd<MoveTypes>;

/** A line as a single move. */
export function wishOf(
  { by, channel, target, choices, draftId, lines }: MoveBatch,
  index: number,
): Move['wish'] {
  const line = lines[index];
  if (line === undefined) throw new Error('there is no such line');
  const { reference, item, from, readAt } = line;
  const own = new Set(statusesIn([item]).map(({ id }) => id));
  const draft: ReviewedDraft = {
    ...{ v: 1, by, channel, reference, item, from, readAt, target },
    choices: choices.filter((choice) => own.has(choice.from)),
  };
  return { draft, draftId };
}

/** Outcomes that every other line would share. */
const ENDS_ALL: ReadonlySet<Outcome['code']> = new Set([
  'unauthorized',
  'not-reached',
  'redirected',
  'busy',
  'could-not-check',
  'account-not-read',
  'store-not-read',
  'no-key',
  'forgotten',
]);

/** Refusals that depend on the item's project. */
const OF_ONE: ReadonlySet<MoveRefusal> = new Set([
  'not-from',
  'not-between',
  'source-project',
  'source-unknown',
]);

/** An earlier call may have moved it, or may still do so: it is sent again only alone, after a question. */
export function asksFirst(line: LineEnd<MoveTypes>): boolean {
  return lineState(MOVE_RULES, line) === 'unknown' || line.end?.code === 'not-moved';
}

export const MOVE_BATCH: Batch<MoveTypes, MoveBatch> = {
  kind: MOVE_BATCH_KIND,
  // Nobody watches the individual lines: a busy service gets minutes.
  rules: { ...MOVE_RULES, limitedMax: 20 },
  wishOf,
  authorizesEach: true,
  endsAll: (outcome) =>
    outcome.code === 'not-allowed' ? !OF_ONE.has(outcome.refusal) : ENDS_ALL.has(outcome.code),
  /** Others have to be reviewed again, alone: what was reviewed no longer holds. */
  repeats(line) {
    const state = lineState(MOVE_RULES, line);
    if (state === 'unsent') return ['again'];
    if (line.end !== undefined && !MOVE_RULES.repeatable.has(line.end.code)) return [];
    return asksFirst(line) ? ['again-one'] : ['again', 'again-one'];
  },
  factsOf: ({ target }) => ({ project: target.projectId }),
};
