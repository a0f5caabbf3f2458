import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { tables } from './readme.ts';

const readme = await readFile(new URL('../README.md', import.meta.url), 'utf8');

it.each(Object.entries(tables))('README lists the current %s', (name, table) => {
  const [, , rest = ''] = readme.split(new RegExp(`(<!-- ${name} -->\n)`));
  const [written] = rest.split(`\n<!-- /${name} -->`);
  expect(written).toBe(table);
});
