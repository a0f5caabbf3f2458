import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { isLinear, patternsIn, patternsInSrc } from './support/patterns.ts';

/**
 * The regular expressions of the program that are proven to take linear time. A new one is proven when the list is
 * renewed: `npx vitest run test/patterns.test.ts --update`. `linear-patterns.test.ts` proves the whole list.
 */
const LIST = new URL('patterns.snapshot', import.meta.url);

test('every regular expression in src takes linear time, and is in patterns.snapshot', async () => {
  const used = await patternsInSrc();
  expect(used.size).toBeGreaterThan(100);
  const proven = new Set((await readFile(LIST, 'utf8')).split('\n'));
  for (const [written, each] of used)
    if (!proven.has(written)) expect(await isLinear(each), `${each.path}: ${written}`).toBe(true);
  const list = [...used.keys()].map((written) => `${written}\n`).join('');
  const hint = 'the list is to be renewed: npx vitest run test/patterns.test.ts --update';
  await expect(list, hint).toMatchFileSnapshot(LIST.pathname);
});

test('the regular expressions of a text are found, in any place', () => {
  const text = 'const key: RegExp = /^\\P{Cc}*\\S\\P{Cc}*$/u; call({ at: [/a\\/b/g] }, "/none/");';
  expect(patternsIn(text)).toEqual([
    { pattern: '^\\P{Cc}*\\S\\P{Cc}*$', flags: 'u' },
    { pattern: 'a\\/b', flags: 'g' },
  ]);
});
