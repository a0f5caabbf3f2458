import { expect, it } from 'vitest';
import { readMember } from '../../../src/core/service/read-member.ts';

const value = {
  plain: 1,
  'a/b': { 'm~n': 2 },
  list: [{ x: 3 }],
  '': 4,
  'with.dot': 5,
};

it.each([
  ['plain', 1],
  ['/plain', 1],
  ['/a~1b/m~0n', 2],
  ['/list/0/x', 3],
  ['/', 4],
  ['with.dot', 5],
  ['list.0', undefined],
  ['/list/1/x', undefined],
  ['/plain/x', undefined],
  ['toString', undefined],
  ['/constructor/name', undefined],
  ['__proto__', undefined],
])('reads %s', (name, found) => {
  expect(readMember(value, name)).toBe(found);
});

it.each([[null], [undefined], ['text'], [5]])('reads nothing of %j', (other) => {
  expect(readMember(other, 'length')).toBeUndefined();
  expect(readMember(other, '/length')).toBeUndefined();
});
