import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  countsIn,
  findingsOf,
  foundIn,
  type Result,
  STEPS,
  tableOf,
  withTable,
} from '../../proof/prove.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const tableIn = (document: string) =>
  /<!-- results: written by `npm run prove` -->\n([\s\S]*?)\n<!-- \/results -->/.exec(
    document,
  )?.[1];

test('the page on reliability shows the same table as the results', async () => {
  const results = await read('proof/RESULTS.md');
  const table = tableIn(results);
  expect(table).toBeTruthy();
  expect(tableIn(await read('docs/reliability.md'))).toBe(table);
  const [, quick] =
    /^\d{4}-\d\d-\d\d · commit `[0-9a-f]{12}`(?: and changes)? · Node \d+\.\d+\.\d+ · seed \d+ · (?:(`--quick`)|as each night)$/m.exec(
      results,
    ) ?? [];
  const [, , ...rows] = table?.split('\n') ?? [];
  const steps = STEPS.filter((step) => quick === undefined || step.quick !== undefined);
  expect(rows.map((row) => row.split(' | ')[0])).toEqual(steps.map(({ name }) => `| ${name}`));
  for (const row of rows) {
    expect(row).toMatch(
      /^\| [a-z ]+ \| `[^`]*npm run [^`]+` \| .+ \| (?:held|\*\*failed\*\* \(\d+\)) \| [\d,]+ \|$/,
    );
  }
});

test('the nightly workflow runs npm run prove and no other script', async () => {
  const night = await read('.github/workflows/nightly.yml');
  const { jobs } = parse(night);
  expect(Object.keys(jobs)).toEqual(['prove']);
  expect(jobs.prove.steps).toContainEqual({ run: 'npm run prove -- --seed $SEED' });
  const scripts = [...night.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script);
  expect([...new Set(scripts)]).toEqual(['prove']);
});

const simulated: Result = {
  name: 'simulation',
  command: 'npm run simulate -- --seed 7',
  code: 0,
  counted: '1,000 approvals, 0 false',
  found: [],
  seconds: 1_234,
};
const failed = { ...simulated, name: 'chaos', code: 2, found: ['false: g53: it was a lie'] };

test('a row shows the counts, and how many steps failed', () => {
  expect(tableOf([simulated, failed]).split('\n').slice(2)).toEqual([
    '| simulation | `npm run simulate -- --seed 7` | 1,000 approvals, 0 false | held | 1,234 |',
    '| chaos | `npm run simulate -- --seed 7` | 1,000 approvals, 0 false | **failed** (2) | 1,234 |',
  ]);
});

test('findings are written down, and so is a failure without output', () => {
  expect(findingsOf([simulated])).toBe('Nothing was found.');
  expect(findingsOf([simulated, failed, { ...failed, found: [] }])).toMatchInlineSnapshot(`
    "Found by chaos:

    \`\`\`
    false: g53: it was a lie
    \`\`\`

    Found by chaos:

    \`\`\`
    It failed without saying what it found.
    \`\`\`"
  `);
});

test('counts are read from the last line that has any', () => {
  const json = '{"seed":"7","approvals":1000,"redisRestarts":2,"lost":0,"trace":"ab"}';
  expect(countsIn(['> npm', json, ''])).toBe('1,000 approvals, 2 redis restarts, 0 lost');
  expect(countsIn([])).toBe('');
  const tests = STEPS.find(({ name }) => name === 'slow tests')?.counted;
  expect(countsIn(['      Tests  1 failed | 40 passed (41)'], tests)).toBe(
    '1 failed, 40 passed (41)',
  );
});

test('the lines that every step prints about a violation are recognized', () => {
  const said = [
    'false: g53: too few were left to ask, and it was not escalated',
    'Not found within 1000: anybody-decides',
    'Not noticed: no lease',
    'The protocol breaks a promise: the story is above.',
    'crash in slack, seed 7, input 12',
    'leak: the heap grows: 12 KiB',
    ' FAIL  slow  test/a.test.ts > it holds',
  ];
  expect(foundIn(['found in 100: guests-decide', ...said, ...said])).toEqual(
    said.map((line) => line.trim()),
  );
  const many = Array.from({ length: 25 }, (_, at) => `lost: g${at}: it has no message`);
  expect(foundIn(many).at(-1)).toBe('and 5 more');
});

test('a new table replaces the old one, and fails if there is no place for it', () => {
  const marks = ['<!-- results: written by `npm run prove` -->', '<!-- /results -->'];
  expect(withTable(`a\n${marks.join('\nold\n')}\nb`, 'new')).toBe(`a\n${marks.join('\nnew\n')}\nb`);
  expect(() => withTable('a', 'new')).toThrow('there is no place for results');
});
