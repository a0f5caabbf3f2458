import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { explore } from '../../../proof/simulation/protocol/explore.ts';
import { PROTOCOL_PLANTS } from '../../../proof/simulation/protocol/record.ts';
import { SMALL } from '../../../proof/simulation/protocol/run.ts';

test.each(SMALL)('the protocol keeps its promises in every order of events: %o', (bounds) => {
  const { violation, states, ends } = explore(bounds);
  expect(violation).toBeNull();
  expect(states).toBeGreaterThan(1_000);
  expect(ends).toBeGreaterThan(0);
});

test.each(PROTOCOL_PLANTS)('the exploration notices a protocol with %s', (plant) => {
  expect(SMALL.some((bounds) => explore({ ...bounds, plant }).violation !== null)).toBe(true);
});

test('the exploration ends with a line of its counts', async () => {
  const file = new URL('../../../proof/simulation/protocol/run.ts', import.meta.url).pathname;
  const words = ['--import', 'tsx', file, '--small'];
  const { stdout } = await promisify(execFile)(process.execPath, words);
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toEqual({
    states: expect.any(Number),
    ...{ rulesLeftOut: PROTOCOL_PLANTS.length, broken: 0, unnoticed: 0 },
  });
});
