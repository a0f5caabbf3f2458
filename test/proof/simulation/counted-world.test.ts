import { expect, test } from 'vitest';
import { passedIn, sumOf } from '../../../proof/simulation/condition-table.ts';
import { instrumentRules } from '../../../proof/simulation/conditions.ts';
import { runWorlds } from '../../../proof/simulation/run-worlds.ts';

test('a simulated world runs the same with conditions counted', async () => {
  const { plugin, conditions } = await instrumentRules();
  const options = { seed: 'conditions', approvals: 4, faults: true, replicas: 2 };
  const job = {
    batch: 0,
    options: {
      ...options,
      archives: true,
      closings: false,
      absences: true,
      holds: true,
      reloads: true,
      quiet: false,
      waits: false,
      usual: true,
      rewinds: false,
      keepsStory: false,
    },
  };
  const run = async (counting?: typeof plugin) => {
    for await (const done of runWorlds([job], 1, undefined, counting)) return done;
    throw new Error('nothing was run');
  };
  const [plain, instrumented] = await Promise.all([run(), run(plugin)]);
  expect(instrumented.report).toEqual(plain.report);
  expect(plain.counts).toEqual([]);
  expect(instrumented.counts.length).toBeLessThanOrEqual(2 * conditions.length);
  const { both, left } = sumOf(passedIn(conditions, instrumented.counts, new Map()));
  expect(both).toBeGreaterThan(20);
  expect(left).toBeGreaterThan(0);
});
