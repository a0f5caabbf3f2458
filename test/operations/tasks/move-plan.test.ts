import { expect, it } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { stateOf } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow } from '../../../src/operations/flow/operation-flow.ts';
import type { Move } from '../../../src/operations/tasks/move.ts';
import { moveOperation } from '../../../src/operations/tasks/move-operation.ts';
import { coreWith } from '../../support/core-with.ts';
import { AUTHORIZE, found, moveIn, NOW, readBack, SEND, SENDING, wishOf } from './moves.ts';

/** Nothing is executed. */
const planKept = (move: Move, keepMs: number, now: number) => {
  const core = coreWith({ service: { tasks: null }, config: { retention: { doneMs: keepMs } } });
  return createOperationFlow(moveOperation(core), TRUE_TIME).plan(move, now);
};
const plan = (move: Move, now = NOW) => planKept(move, 90_000_000, now);
const wait = (until: number) => ({ kind: 'wait', until, lane: 'people' });
/** The modal shows the current state already. */
const shown = (move: Move): Move => ({
  ...move,
  modal: 'V1',
  shown: JSON.stringify(stateOf(move)),
});
const pushed = { wish: wishOf({ from: 'push' }) };
const seen = (readAt: number) => shown(moveIn({ ...SEND, readAt }));
const over = (change: Partial<Move>) => shown(moveIn({ name: 'done' }, change));
const MOVED = { outcome: { code: 'found-moved', key: 'WEB-3' } } as const;

it.each<[string, Move, number, object]>([
  ['first asks whether the person may', shown(moveIn(AUTHORIZE)), NOW, { kind: 'authorize' }],
  [
    'waits before it asks again',
    shown(moveIn({ ...AUTHORIZE, notBefore: NOW + 9 })),
    NOW,
    wait(NOW + 9),
  ],
  ['looks before it sends', shown(moveIn(SEND)), NOW, { kind: 'read' }],
  ['sends what it has just seen', seen(NOW), NOW + 6_000, { kind: 'send' }],
  ['looks anew at what it saw a while ago', seen(NOW), NOW + 6_001, { kind: 'read' }],
  ['sends what it cannot look at', shown(moveIn(SEND, pushed)), NOW, { kind: 'send' }],
  ['asks anew whether the person may', seen(NOW + 60_000), NOW + 60_001, { kind: 'authorize' }],
  [
    'looks what became of a sending of a dead process',
    shown(moveIn(SENDING)),
    NOW,
    { kind: 'read' },
  ],
  ['never sends what was lost', shown(moveIn(readBack('lost'), pushed)), NOW, { kind: 'read' }],
  [
    'waits between looks',
    shown(moveIn({ name: 'read-back', why: 'lost', reads: 1, notBefore: NOW + 9 })),
    NOW,
    wait(NOW + 9),
  ],
  ['keeps the mapping of what was moved', over(MOVED), NOW, { kind: 'remember' }],
  [
    'does not wait with telling for a part of the store that is away',
    over({ ...MOVED, rememberAt: NOW + 9 }),
    NOW,
    { kind: 'slot', post: 'announcement' },
  ],
  [
    'then tells the channel',
    over({ ...MOVED, remembered: true }),
    NOW,
    { kind: 'slot', post: 'announcement' },
  ],
  [
    'notes where an item went whose project was not known',
    over({ ...MOVED, wish: wishOf({ item: found({ projectId: null }) }) }),
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
    moveIn({ name: 'done' }, { outcome: { code: 'unknown' } }),
    NOW,
    { kind: 'open', post: 'result' },
  ],
])('%s', (_, move, now, wanted) => {
  const next = plan(move, now);
  expect(next.kind === 'step' ? next.step : next).toMatchObject(wanted);
});

it('a new state is shown 500 ms after the form was acknowledged, before anything else', () => {
  const move = moveIn(readBack('lost'), { modal: 'V1', shown: 'another' });
  expect(plan(move, NOW)).toMatchObject({ kind: 'step', step: { kind: 'read' } });
  expect(plan(move, NOW + 500)).toMatchObject({
    kind: 'step',
    step: { kind: 'show', state: { state: 'reading-back' } },
  });
});

it('a finished move is kept for a day, so that a late press finds it', () => {
  const move = over({ outcome: { code: 'unknown' } });
  expect(planKept(move, 1, NOW)).toEqual({ kind: 'finish', keepMs: 86_400_000 });
});
