import { expect, test } from 'vitest';
import { featuresOf } from '../../../proof/simulation/features.ts';
import { metTable, RULE_NAMES, unmetIn } from '../../../proof/simulation/rules-met.ts';
import { MEANT } from '../../../proof/simulation/scenes.ts';

test('the first three worlds of every seed have everything between them, and no rewind', () => {
  for (let seed = 1; seed <= 50; seed += 1) {
    const worlds = [0, 1, 2].map((batch) => featuresOf(String(seed), batch));
    for (const name of ['absences', 'holds', 'reloads', 'archives', 'closings'] as const)
      expect(worlds.some((each) => each[name])).toBe(true);
    expect(worlds.map(({ replicas }) => replicas).toSorted()).toEqual([1, 2, 3]);
    expect(worlds.filter(({ quiet }) => quiet)).toHaveLength(2);
    expect(worlds.some(({ rewinds }) => rewinds)).toBe(false);
    expect(worlds.every(({ waits }) => waits)).toBe(true);
    expect(worlds.filter(({ usual }) => usual)).toHaveLength(1);
  }
});

test('seeds differ in which world has what, and a seed always draws the same', () => {
  const drawn = Array.from({ length: 20 }, (_, seed) => JSON.stringify(featuresOf(`${seed}`, 0)));
  expect(new Set(drawn).size).toBeGreaterThan(5);
  expect(featuresOf('7', 4)).toEqual(featuresOf('7', 4));
});

test('a rule that nothing met is named', () => {
  const none = unmetIn([]);
  expect(none).toContain('hold: undone by another');
  expect(unmetIn(none.map(() => 1))).toEqual([]);
  // Without a store that went back, some rules cannot be met.
  const ofLapses = none.filter((each) => /forgotten/.test(each));
  expect(ofLapses).toContain('own gate: its decision is forgotten');
  expect(unmetIn([], false)).toEqual(none.filter((each) => !ofLapses.includes(each)));
  const table = metTable(none.map((_, at) => at));
  expect(table.split('\n')[0]).toMatch(/^hold +ends at the deadline +NEVER MET$/);
  expect(table.split('\n')[1]).toMatch(/^hold +undone +1$/);
});

test('each scene names the rules that it is meant to meet', () => {
  expect(MEANT.filter((each) => !RULE_NAMES.includes(each))).toEqual([]);
  expect(new Set(MEANT).size).toBe(MEANT.length);
});
