import { expect, test } from 'vitest';
import { type Due, firstDue, firstReady } from '../../../src/core/engine/first-due.ts';

const step = { kind: 'ring' } as const;

test.each<[string, readonly Due<typeof step>[], object]>([
  ['the first step that is due goes first', [20, step, { kind: 'ring' }], { kind: 'step', step }],
  ['without one, the earliest is waited for', [30, null, 20, 40], { kind: 'wait', until: 20 }],
  ['with nothing left, the record is kept', [null, null], { kind: 'finish', keepMs: 60 }],
  ['so it is if there never was anything', [], { kind: 'finish', keepMs: 60 }],
])('%s', (_what, dues, plan) => {
  const lane = 'until' in plan ? { lane: 'people' } : {};
  const planned = firstDue(
    dues.map((due) => () => due),
    60,
  );
  expect(planned).toEqual({ ...plan, ...lane });
});

test('what comes after a step that is due is not even asked for', () => {
  const later = () => {
    throw new Error('it was asked for');
  };
  expect(firstDue([() => step, later], 60)).toEqual({ kind: 'step', step });
});

test.each([
  [
    'the first that can be tried now',
    [{ notBefore: 11 }, { notBefore: 10 }, {}],
    { notBefore: 10 },
  ],
  ['one without a time can be tried at once', [{ notBefore: 11 }, {}], {}],
  ['if none can, when the earliest can', [{ notBefore: 13 }, { notBefore: 11 }], 11],
  ['none of none', [], null],
])('%s', (_what, items, due) => {
  expect(firstReady(items, 10)).toEqual(due);
});
