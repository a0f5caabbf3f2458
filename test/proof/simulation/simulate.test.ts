import { beforeAll, expect, test } from 'vitest';
import { featuresOf } from '../../../proof/simulation/features.ts';
import { PLANTS } from '../../../proof/simulation/plants.ts';
import { runWorlds } from '../../../proof/simulation/run-worlds.ts';
import type { Job } from '../../../proof/simulation/worker.ts';
import type { WorldReport } from '../../../proof/simulation/world.ts';

/**
 * A few worlds; `npm run simulate` runs any number. Between them there are one to three replicas, and each of
 * what only some worlds have twice: rewinds, archives, absences and holds.
 */
const WORLDS = [0, 2, 3, 7];
const APPROVALS = 75;
/** How many of them run again, in any process and after any other world. */
const AGAIN = 1;
const PROCESSES = 2;
/** A planted bug is tried in one small world after the other until it is found; most need one, and none needed five. */
const PLANTED_WORLDS = 40;
const PLANTED_APPROVALS = 15;

const worldWith = (batch: number, more: Partial<Job['options']> = {}): Job => ({
  batch,
  options: {
    seed: `test/${batch}`,
    approvals: APPROVALS,
    faults: true,
    ...featuresOf('test', batch),
    keepsStory: false,
    ...more,
  },
});

const first: WorldReport[] = [];
const second: WorldReport[] = [];
const found = new Set<string>();

/** By who reads the report. One after the other: the processes need seconds until they run at full speed. */
function* jobs(readers: ((report: WorldReport) => void)[]): Generator<Job> {
  const into = (reports: WorldReport[]) => (report: WorldReport) => void reports.push(report);
  for (const [reports, worlds] of [
    [first, WORLDS],
    [second, WORLDS.slice(0, AGAIN)],
  ] as const) {
    for (const batch of worlds) {
      readers.push(into(reports));
      yield worldWith(batch);
    }
  }
  for (let batch = 0; batch < PLANTED_WORLDS; batch += 1) {
    for (const plant of Object.keys(PLANTS).filter((each) => !found.has(each))) {
      readers.push(({ violations }) => void (violations.length > 0 && found.add(plant)));
      // Several replicas and no rewind: what that excuses would only take longer.
      const features = { replicas: 3, rewinds: false, waits: false, usual: true };
      yield worldWith(batch, { approvals: PLANTED_APPROVALS, plant, ...features });
    }
  }
}

beforeAll(async () => {
  const readers: ((report: WorldReport) => void)[] = [];
  for await (const { report } of runWorlds(jobs(readers), PROCESSES)) readers.shift()?.(report);
}, 1_800_000);

test('a few hundred simulated approvals break no promise', () => {
  expect(first.flatMap(({ violations }) => violations.map(({ told }) => told))).toEqual([]);
  const sum = (member: 'approvals' | 'kills' | 'faults') =>
    first.reduce((total, report) => total + report[member], 0);
  expect(sum('approvals')).toBe(WORLDS.length * APPROVALS);
  expect(sum('kills')).toBeGreaterThan(5);
  expect(sum('faults')).toBeGreaterThan(500);
});

test('the same seed repeats the same run, and each seed gives another one', () => {
  const traces = first.map(({ trace }) => trace);
  expect(second.map(({ trace }) => trace)).toEqual(traces.slice(0, AGAIN));
  expect(new Set(traces).size).toBe(WORLDS.length);
});

test('every planted bug is found', () => {
  expect(Object.keys(PLANTS)).toHaveLength(13);
  expect(Object.keys(PLANTS).filter((plant) => !found.has(plant))).toEqual([]);
});
