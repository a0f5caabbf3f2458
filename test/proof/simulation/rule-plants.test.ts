import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { planted, RULE_PLANTS } from '../../../proof/simulation/rule-plants.ts';

test.each(Object.entries(RULE_PLANTS))(
  'the code that %s replaces exists exactly once',
  async (_name, plant) => {
    const path = fileURLToPath(new URL(`../../../src/${plant.file}`, import.meta.url));
    const text = await readFile(path, 'utf8');
    expect(planted(text, plant)).not.toBe(text);
  },
);

test.each([...new Set(Object.values(RULE_PLANTS).map(({ noticedBy }) => noticedBy))])(
  'the test that notices a bug instead is there: %s',
  async (test) => {
    const path = fileURLToPath(new URL(`../../${test}`, import.meta.url));
    expect(await readFile(path, 'utf8')).toContain('test');
  },
);

test('code that does not exist, or exists twice, is an error', () => {
  const plant = { file: 'a.ts', from: 'x', to: 'y', noticedBy: 'a.test.ts' };
  expect(() => planted('abc', plant)).toThrow('a.ts has "x" 0 times');
  expect(() => planted('x x', plant)).toThrow('a.ts has "x" 2 times');
});
