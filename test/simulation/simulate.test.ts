import { expect, test } from 'vitest';
import { lived } from '../../simulation/lived.ts';
import { PLANTS } from '../../simulation/plants.ts';
import type { Job } from '../../simulation/worker.ts';
import type { WorldReport } from '../../simulation/world.ts';

/** More are lived by `npm run simulate -- --approvals 10000`. */
const WORLDS = 2;
const PROCESSES = 2;
/** A planted bug shows in one of so many worlds. */
const PLANTED_WORLDS = 8;

const worldWith = (batch: number, more: Partial<Job['options']> = {}): Job => ({
  batch,
  options: {
    seed: `test/${batch}`,
    approvals: 40,
    faults: true,
    replicas: 1 + (batch % 3),
    rewinds: batch % 4 === 3,
    keepsStory: false,
    ...more,
  },
});

async function reportsOf(jobs: readonly Job[], processes: number): Promise<WorldReport[]> {
  const reports: WorldReport[] = [];
  for await (const { report } of lived(jobs, processes)) reports.push(report);
  return reports;
}

test('no promise is broken, and the same seed lives the same again', async () => {
  const jobs = Array.from({ length: WORLDS }, (_, batch) => worldWith(batch));
  const [first, second] = [await reportsOf(jobs, PROCESSES), await reportsOf(jobs, 1)];
  expect(first.flatMap(({ violations }) => violations.map(({ told }) => told))).toEqual([]);
  expect(second.map(({ trace }) => trace)).toEqual(first.map(({ trace }) => trace));
  expect(new Set(first.map(({ trace }) => trace)).size).toBe(WORLDS);
  const kills = first.reduce((sum, each) => sum + each.kills, 0);
  const faults = first.reduce((sum, each) => sum + each.faults, 0);
  expect(kills).toBeGreaterThan(1);
  expect(faults).toBeGreaterThan(100);
}, 300_000);

test('every planted bug is found', async () => {
  expect(Object.keys(PLANTS)).toHaveLength(12);
  const found = new Set<string>();
  for (let batch = 0; batch < PLANTED_WORLDS; batch += 1) {
    const left = Object.keys(PLANTS).filter((plant) => !found.has(plant));
    const reports = await reportsOf(
      // Several replicas and no rewind: what that excuses would only take longer.
      left.map((plant) => worldWith(batch, { plant, replicas: 3, rewinds: false })),
      PROCESSES,
    );
    for (const [place, { violations }] of reports.entries()) {
      if (violations.length > 0) found.add(left[place] ?? '');
    }
  }
  expect(Object.keys(PLANTS).filter((plant) => !found.has(plant))).toEqual([]);
}, 300_000);
