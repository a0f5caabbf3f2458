import { expect, it } from 'vitest';
import { decodeOperation } from '../../../src/operations/flow/operation.ts';
import { MOVE_RULES } from '../../../src/operations/tasks/move.ts';

it('an operation stored in an unknown format is an error', () => {
  expect(() => decodeOperation(MOVE_RULES, '{"v":2}')).toThrow(
    'a record of kind move is stored in an unknown format',
  );
});
