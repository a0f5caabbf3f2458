import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  type Piece,
  readPieces,
  removePieces,
  stateOf,
  whyRefused,
  writePiece,
} from '../../proof/pieces.ts';
import {
  commandsOf,
  countsIn,
  findingsOf,
  foundIn,
  placesOf,
  type Result,
  resultsOf,
  STEPS,
  tableOf,
  turnsOf,
} from '../../proof/prove.ts';

const read = (path: string) => readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
const tableIn = (document: string) =>
  /<!-- results: written by `npm run prove` -->\n([\s\S]*?)\n<!-- \/results -->/.exec(
    document,
  )?.[1];

test('the results have a row for each step that was tried', async () => {
  const results = await read('proof/RESULTS.md');
  const table = tableIn(results);
  expect(table).toBeTruthy();
  const [, extent = 'night'] =
    /(?: · |^Seed \d+ · )(?:`--(quick|long)`|as each night)$/m.exec(results) ?? [];
  expect(results).toMatch(
    /^\d{4}-\d\d-\d\d · commit `[0-9a-f]{12}`(?: and changes)? · Node \d+\.\d+\.\d+ · .+$/m,
  );
  const [, , ...rows] = table?.split('\n') ?? [];
  // as: read from what prove wrote
  const steps = STEPS.filter((step) => step[extent as 'quick' | 'night' | 'long'] !== undefined);
  expect(rows.map((row) => row.split(' | ')[0])).toEqual(steps.map(({ name }) => `| ${name}`));
  for (const row of rows) {
    expect(row).toMatch(
      /^\| [a-z ]+ \| `[^`]*npm run [^`]+`(?:, and so on: \d+ of \d+ seeds)? \| .+ \| (?:held|not run yet|\*\*failed\*\* \(\d+\)) \| [\d,]+ \|$/,
    );
  }
});

test('the nightly workflow runs npm run prove and no other script', async () => {
  const night = await read('.github/workflows/nightly.yml');
  const { jobs } = parse(night);
  expect(Object.keys(jobs)).toEqual(['prove']);
  expect(jobs.prove.steps).toContainEqual({ run: 'npm run prove -- --anew --seed $SEED' });
  const scripts = [...night.matchAll(/npm run ([\w:]+)/g)].map(([, script]) => script);
  expect([...new Set(scripts)]).toEqual(['prove']);
});

const simulated: Result = {
  name: 'simulation',
  command: 'npm run simulate -- --seed 7',
  done: 1,
  of: 1,
  code: 0,
  counts: { approvals: 1_000, false: 0 },
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
  const counts = { approvals: 1_000, redisRestarts: 2, lost: 0 };
  expect(countsIn(['> npm', json, ''])).toEqual(counts);
  const row = tableOf([{ ...simulated, counts, done: 3, of: 100 }])
    .split('\n')
    .at(-1);
  expect(row).toBe(
    '| simulation | `npm run simulate -- --seed 7`, and so on: 3 of 100 seeds | 1,000 approvals, 2 redis restarts, 0 lost | held | 1,234 |',
  );
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

const PIECE: Piece = {
  ...{ step: 'simulation', extent: 'long', seed: '41', code: 0, found: [], seconds: 9 },
  command: 'npm run simulate -- --approvals 2000 --seed 41',
  counts: { approvals: 2_000, lost: 0 },
  ...{ tried: 'a1', commit: '0123456789ab', isChanged: false, date: '2026-11-28' },
  ...{ node: '26.1.0', machine: '2 × A processor' },
};
const second = {
  ...PIECE,
  command: PIECE.command.replace(/41$/, '42'),
  code: 1,
  found: ['lost: g5: it has no message'],
};

test('a long run has a hundred seeds of two thousand approvals, and its pieces are added up', () => {
  const [simulation] = STEPS;
  if (simulation === undefined) throw new Error('there is no step');
  const commands = commandsOf(simulation, 'long', '41');
  expect(commands).toHaveLength(100);
  expect(commands.at(-1)).toBe('npm run simulate -- --approvals 2000 --seed 140');
  const pieces = new Map([PIECE, second].map((each) => [each.command, each]));
  const [simulated, planted] = resultsOf(pieces, 'long', '41');
  expect(simulated).toEqual({
    ...{ name: 'simulation', command: PIECE.command, done: 2, of: 100, code: 1, seconds: 18 },
    ...{ counts: { approvals: 4_000, lost: 0 }, found: second.found },
  });
  expect(planted).toMatchObject({ name: 'planted bugs', done: 0, of: 3 });
  expect(tableOf(planted === undefined ? [] : [planted])).toMatch(/\| – \| not run yet \| 0 \|$/);
  expect(placesOf([PIECE, second, { ...PIECE, machine: '8 × Another', isChanged: true }])).toEqual([
    '2026-11-28 · commit `0123456789ab` · Node 26.1.0 · 2 × A processor · 2 pieces',
    '2026-11-28 · commit `0123456789ab` and changes · Node 26.1.0 · 8 × Another · 1 piece',
  ]);
});

test('no step of a long run waits for another to be finished', () => {
  const turns = turnsOf('long', '41').map(({ step, command }) => [step.name, command]);
  expect(new Set(turns.map(([, command]) => command)).size).toBe(turns.length);
  const steps = STEPS.filter(({ long }) => long !== undefined).map(({ name }) => name);
  expect(turns.slice(0, steps.length).map(([name]) => name)).toEqual(steps);
  const half = turns.slice(0, turns.length / 2).map(([name]) => name);
  const count = (name: string) => half.filter((each) => each === name).length;
  expect([count('simulation'), count('fuzz'), count('chaos')]).toEqual([48, 5, 3]);
  const only = turnsOf('long', '41', ['chaos']).map(({ step }) => step.name);
  expect(only).toEqual(Array.from({ length: 5 }, () => 'chaos'));
});

test('pieces are kept, and joined only with those of the same run of the same state', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pieces-'));
  await writePiece(PIECE, folder);
  await writePiece(second, folder);
  const pieces = await readPieces(folder);
  expect([...pieces.values()].toSorted((a, b) => a.code - b.code)).toEqual([PIECE, second]);
  expect(whyRefused(pieces.values(), 'a1')).toBeNull();
  expect(whyRefused(pieces.values(), 'b2')).toMatch(
    /another state of the program, at commit 0123456789ab/,
  );
  expect(whyRefused([PIECE, { ...second, seed: '7' }], 'a1')).toMatch(/belongs to another run/);
  expect(whyRefused([], 'a1')).toMatch(/nothing to resume/);
  await writeFile(join(folder, 'other.json'), '{}');
  await expect(readPieces(folder)).rejects.toThrow('proof/pieces/other.json is not a piece');
  await removePieces(folder);
  expect(await readPieces(folder)).toEqual(new Map());
});

test('the state that is tried changes with the program, and not with what prove writes', async () => {
  const state = await stateOf(['src/main.ts', 'package-lock.json']);
  expect(state).toMatch(/^[0-9a-f]{16}$/);
  expect(await stateOf(['package-lock.json', 'src/main.ts', 'proof/RESULTS.md'])).toBe(state);
  expect(await stateOf(['package-lock.json'])).not.toBe(state);
});

test('the pieces that are committed are of one run of one state', async () => {
  const pieces = [...(await readPieces()).values()];
  if (pieces.length > 0) expect(whyRefused(pieces, pieces[0]?.tried ?? '')).toBeNull();
});
