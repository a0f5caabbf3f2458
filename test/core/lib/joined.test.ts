import { expect, test } from 'vitest';
import { joined } from '../../../src/core/lib/joined.ts';

test('lists are joined in their order, and left as they are', () => {
  const lists = [['a', 'b'], [], ['c']];
  expect(joined(lists)).toEqual(['a', 'b', 'c']);
  expect(lists).toEqual([['a', 'b'], [], ['c']]);
  expect(joined([])).toEqual([]);
});
