import { expect, test } from 'vitest';
import { without } from '../../../src/core/lib/without.ts';

interface Named {
  readonly id: string;
  readonly name?: string;
  readonly note?: string;
}

test('a copy lacks the optional members that are named, and keeps the others in their order', () => {
  const value = { note: 'n', more: 1, id: '1', name: 'a' };
  expect(JSON.stringify(without<Named, typeof value>(value, 'name'))).toBe(
    '{"note":"n","more":1,"id":"1"}',
  );
  expect(without<Named, Named>(value, 'name', 'note')).toEqual({ more: 1, id: '1' });
  expect(without<Named, Named>({ id: '1' }, 'name')).toEqual({ id: '1' });
  expect(value).toEqual({ note: 'n', more: 1, id: '1', name: 'a' });
});

test('a required member cannot be left out', () => {
  // @ts-expect-error `id` is not optional
  without<Named, Named>({ id: '1' }, 'id');
});
