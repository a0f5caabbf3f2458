import type { Task } from '../../../src/core/service/task.ts';
import type { Progress } from '../../../src/operations/flow/rules.ts';
import type { Move, MoveTypes, ReviewedDraft } from '../../../src/operations/tasks/move.ts';

type Phase = Progress<MoveTypes>['phase'];

/** A move and an item for the tests of pure rules. */

export const NOW = 1_000_000;

const below = (id: string, status: string) => ({
  id,
  key: `OPS-${id}`,
  title: null,
  status,
  subItems: [],
});

export const ITEM: Task = {
  ...below('1', 'open'),
  updatedAt: '2030-01-01T10:00:00.120101Z',
  projectId: 'ops',
  subItems: [below('2', 'done'), below('3', 'open')],
};

/** The item as it is read again. */
export const found = (change: Partial<Task> = {}): Task => ({ ...ITEM, ...change });
/** One sub-item has another status; the item's own time of change does not show it. */
export const CHILD_CHANGED = found({ subItems: [below('2', 'open'), below('3', 'open')] });
export const ANOTHER_TIME = found({ updatedAt: '2030-01-01T11:00:00Z' });
export const GONE_THERE = found({ projectId: 'web', key: 'WEB-3', updatedAt: 'later' });
export const GONE_ELSEWHERE = found({ projectId: 'fin', key: 'LED-9', updatedAt: 'later' });

export function draftOf(change: Partial<ReviewedDraft> = {}): ReviewedDraft {
  return {
    v: 1,
    by: 'U0ANA',
    channel: 'C0DEPLOYS',
    reference: 'OPS-1',
    item: ITEM,
    from: 'http',
    readAt: NOW,
    target: { projectId: 'web', typeId: null },
    choices: [
      { from: 'open', to: 'todo' },
      { from: 'done', to: 'done' },
    ],
    ...change,
  };
}

export function wishOf(change: Partial<ReviewedDraft> = {}): Move['wish'] {
  return { draft: draftOf(change), draftId: 'd' };
}

export function moveIn(phase: Phase, change: Partial<Move> = {}): Move {
  const { by, channel } = draftOf();
  return {
    v: 1,
    by,
    channel,
    wish: wishOf(),
    announce: true,
    run: 0,
    createdAt: NOW,
    phase,
    posts: [],
    ...change,
  };
}

type PhaseNamed<Name extends Phase['name']> = Extract<Phase, { name: Name }>;

export const SENDS = { notSent: 0, limited: 0 };
export const AUTHORIZE: PhaseNamed<'authorize'> = {
  name: 'authorize',
  tries: 0,
  notBefore: NOW,
  sends: SENDS,
};
export const SEND = {
  name: 'send',
  authorizedAt: NOW,
  notBefore: NOW,
  sends: SENDS,
} as const satisfies Phase;
export const SENDING = {
  name: 'sending',
  attempt: { plannedAt: NOW, mustEndBy: NOW + 7_000 },
  sends: SENDS,
} as const satisfies Phase;
/** From then on nothing sent at `NOW` can arrive. */
export const QUIET_AT = NOW + 17_000;

export function readBack(
  why: PhaseNamed<'read-back'>['why'],
  change: Partial<PhaseNamed<'read-back'>> = {},
): PhaseNamed<'read-back'> {
  return { name: 'read-back', why, reads: 0, notBefore: NOW, ...change };
}

/** One call was lost. */
export const unconfirmed = { quietAt: QUIET_AT, lost: 1, hasEnded: true } as const;
