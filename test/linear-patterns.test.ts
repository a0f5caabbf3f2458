import { expect, test } from 'vitest';
import { isLinear, patternsInSrc } from './support/patterns.ts';

test('every regular expression in src takes linear time', async () => {
  const found = [...(await patternsInSrc())];
  expect(found.length).toBeGreaterThan(100);
  const slow: string[] = [];
  for (const [written, each] of found)
    if (!(await isLinear(each))) slow.push(`${each.path}: ${written}`);
  expect(slow).toEqual([]);
});

test('a regular expression that takes more than linear time is detected', async () => {
  expect(await isLinear({ pattern: '^\\P{Cc}*\\S\\P{Cc}*$', flags: 'u' })).toBe(false);
});
