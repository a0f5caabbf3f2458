import { expect, it } from 'vitest';
import type { Move } from '../../src/tasks/move.ts';
import { faceOf } from '../../src/tasks/move-face.ts';
import { planMove } from '../../src/tasks/plan-move.ts';
import { CHECK, draftOf, found, lookPhase, moveIn, NOW, SEND, SENDING } from './moves.ts';

const plan = (move: Move, now = NOW) => planMove(move, { keepMs: 90_000_000 }, now);
const wait = (until: number) => ({ kind: 'wait', until, lane: 'people' });
/** The modal shows the present face already. */
const shown = (move: Move): Move => ({ ...move, modal: 'V1', shown: JSON.stringify(faceOf(move)) });
const pushed = { draft: draftOf({ from: 'push' }) };
const seen = (seenAt: number) => shown(moveIn({ ...SEND, seenAt }));
const over = (change: Partial<Move>) => shown(moveIn({ name: 'over' }, change));
const MOVED = { outcome: { code: 'found-moved', key: 'WEB-3' } } as const;

it.each<[string, Move, number, object]>([
  ['first asks whether the person may', shown(moveIn(CHECK)), NOW, { kind: 'check' }],
  [
    'waits before it asks again',
    shown(moveIn({ ...CHECK, notBefore: NOW + 9 })),
    NOW,
    wait(NOW + 9),
  ],
  ['looks before it sends', shown(moveIn(SEND)), NOW, { kind: 'look' }],
  ['sends what it has just seen', seen(NOW), NOW + 6_000, { kind: 'send' }],
  ['looks anew at what it saw a while ago', seen(NOW), NOW + 6_001, { kind: 'look' }],
  ['sends what it cannot look at', shown(moveIn(SEND, pushed)), NOW, { kind: 'send' }],
  ['asks anew whether the person may', seen(NOW + 60_000), NOW + 60_001, { kind: 'check' }],
  [
    'looks what became of a sending of a dead process',
    shown(moveIn(SENDING)),
    NOW,
    { kind: 'look' },
  ],
  ['never sends what was lost', shown(moveIn(lookPhase('lost'), pushed)), NOW, { kind: 'look' }],
  [
    'waits between looks',
    shown(moveIn({ name: 'look', why: 'lost', looks: 1, notBefore: NOW + 9 })),
    NOW,
    wait(NOW + 9),
  ],
  ['keeps the mapping of what was moved', over(MOVED), NOW, { kind: 'remember' }],
  [
    'then tells the channel',
    over({ ...MOVED, remembered: true }),
    NOW,
    { kind: 'turn', part: 'announcement' },
  ],
  [
    'notes where an item went whose project was not known',
    over({ ...MOVED, draft: draftOf({ item: found({ projectId: null }) }) }),
    NOW,
    { kind: 'remember' },
  ],
  [
    'tells the channel nothing of what was not moved',
    over({ outcome: { code: 'unknown' } }),
    NOW,
    { kind: 'finish', keepMs: 90_000_000 },
  ],
  [
    'tells who closed the form',
    moveIn({ name: 'over' }, { outcome: { code: 'unknown' } }),
    NOW,
    { kind: 'open', part: 'result' },
  ],
])('%s', (_, move, now, wanted) => {
  const next = plan(move, now);
  expect(next.kind === 'step' ? next.step : next).toMatchObject(wanted);
});

it('shows a new face before anything else, once the form that acknowledged is in place', () => {
  const move = moveIn(lookPhase('lost'), { modal: 'V1', shown: 'another' });
  expect(plan(move, NOW)).toMatchObject({ kind: 'step', step: { kind: 'look' } });
  expect(plan(move, NOW + 500)).toMatchObject({
    kind: 'step',
    step: { kind: 'show', face: { state: 'looking' } },
  });
});

it('keeps what is over as long as its draft, so that a late press finds it', () => {
  const move = over({ outcome: { code: 'unknown' } });
  expect(planMove(move, { keepMs: 1 }, NOW)).toEqual({ kind: 'finish', keepMs: 86_400_000 });
});
