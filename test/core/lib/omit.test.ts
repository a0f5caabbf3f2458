import { expect, test } from 'vitest';
import { omit } from '../../../src/core/lib/omit.ts';

interface Named {
  readonly id: string;
  readonly name?: string;
  readonly note?: string;
}

test('a copy lacks the optional members that are named, and keeps the others in their order', () => {
  const value = { note: 'n', more: 1, id: '1', name: 'a' };
  expect(JSON.stringify(omit<Named, typeof value>(value, 'name'))).toBe(
    '{"note":"n","more":1,"id":"1"}',
  );
  expect(omit<Named, Named>(value, 'name', 'note')).toEqual({ more: 1, id: '1' });
  expect(omit<Named, Named>({ id: '1' }, 'name')).toEqual({ id: '1' });
  expect(value).toEqual({ note: 'n', more: 1, id: '1', name: 'a' });
});

test('omitting a required member does not compile', () => {
  // @ts-expect-error `id` is not optional
  omit<Named, Named>({ id: '1' }, 'id');
});
