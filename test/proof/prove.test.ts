import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { countsOf, tableOf, withTable } from '../../proof/prove.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const tableIn = (document: string) =>
  /<!-- results: written by `npm run prove` -->\n([\s\S]*?)\n<!-- \/results -->/.exec(
    document,
  )?.[1];

test('the page on reliability shows the table that was written with the results', async () => {
  const results = await read('proof/RESULTS.md');
  const table = tableIn(results);
  expect(table).toBeTruthy();
  expect(tableIn(await read('docs/reliability.md'))).toBe(table);
  expect(results).toMatch(
    /^\d{4}-\d\d-\d\d · commit `[0-9a-f]{12}(?: and changes)?` · Node \d+\.\d+\.\d+$/m,
  );
  const [, , ...rows] = table?.split('\n') ?? [];
  expect(rows.length).toBeGreaterThanOrEqual(4);
  for (const row of rows) {
    expect(row).toMatch(
      /^\| [a-z ]+ \| `[^`]*npm run [^`]+` \| .+ \| (?:held|\*\*failed\*\* \(\d+\)) \| [\d,]+ \|$/,
    );
  }
});

const simulated = {
  name: 'simulation',
  command: 'npm run simulate -- --seed 7',
  code: 0,
  last: '{"seed":"7","approvals":1000,"redisRestarts":2,"lost":0,"trace":"ab"}',
  seconds: 1_234,
};

test('a row says what was counted, and what failed', () => {
  const failed = { ...simulated, name: 'chaos', code: 2, last: 'It needs a | redis-server.' };
  expect(tableOf([simulated, failed]).split('\n').slice(2)).toEqual([
    '| simulation | `npm run simulate -- --seed 7` | 1,000 approvals, 2 redis restarts, 0 lost | held | 1,234 |',
    '| chaos | `npm run simulate -- --seed 7` | It needs a \\| redis-server. | **failed** (2) | 1,234 |',
  ]);
  expect(countsOf('')).toBe('');
});

test('the table takes the place of the one before, and needs a place', () => {
  const marks = ['<!-- results: written by `npm run prove` -->', '<!-- /results -->'];
  expect(withTable(`a\n${marks.join('\nold\n')}\nb`, 'new')).toBe(`a\n${marks.join('\nnew\n')}\nb`);
  expect(() => withTable('a', 'new')).toThrow('there is no place for results');
});
