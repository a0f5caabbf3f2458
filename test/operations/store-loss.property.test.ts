import fc from 'fast-check';
import { test } from 'vitest';
import { cases } from '../support/cases.ts';
import { type Course, reachEnd } from './store-loss/course.ts';
import { KINDS } from './store-loss/kinds.ts';
import { Weather } from './store-loss/weather.ts';

/**
 * The store may lose its last writes, and results of calls that it no longer knows of arrive late, and twice. Records
 * nevertheless reach their end, without a step that throws.
 */

const kinds = Object.keys(KINDS) as (keyof typeof KINDS)[]; // as: its own keys
const CALM = { failing: 0, away: 0 };

test.each(kinds)('%s: everything is lost after any step, and results come late', async (kind) => {
  for (const times of [1, 2]) {
    for (let steps = 1; ; steps += 1) {
      const course = KINDS[kind](new Weather({ ...CALM, seed: steps }));
      if (!(await walk(course, steps))) break;
      course.lose(Number.POSITIVE_INFINITY);
      for (let which = course.results; which > 0; which -= 1) course.handOver(which - 1, times);
      await reachEnd(course);
    }
  }
});

/** So many steps; false: it ended before. */
async function walk(course: Course, steps: number): Promise<boolean> {
  for (let step = 0; step < steps; step += 1) {
    if ((await course.step()) === 'finish') return false;
  }
  return true;
}

const HAPPENINGS = {
  works: (course: Course) => course.step(),
  'dies after a call': (course: Course) => course.step({ dies: true }),
  signal: (course: Course) => course.signal(),
  'late result': (course: Course, at: number) => course.handOver(at, 1),
  'late result, twice': (course: Course, at: number) => course.handOver(at, 2),
  'store loss': (course: Course, at: number) => course.lose(at),
  'store loss, and its worker hands over': (course: Course, at: number) => {
    course.lose(at * 2);
    course.handOver(0, 1);
  },
  'other rules': ({ weather }: Course) => weather.changeRules(),
  'time passes': ({ weather }: Course, at: number) => {
    weather.now += at * 10_000;
  },
};
const happenings = Object.keys(HAPPENINGS) as (keyof typeof HAPPENINGS)[]; // as: its own keys
const MOSTLY = Array.from({ length: 12 }, () => 'works' as const);

const happening = fc.record({
  what: fc.constantFrom(...MOSTLY, ...happenings),
  at: fc.nat({ max: 9 }),
});

const trial = fc.record({
  kind: fc.constantFrom(...kinds),
  seed: fc.nat(),
  failing: fc.constantFrom(0, 0.15, 0.4),
  away: fc.constantFrom(0, 0, 0.15),
  happenings: fc.array(happening, { minLength: 5, maxLength: 60 }),
});

test('a record reaches its end whatever the store lost and what failed', async () => {
  await fc.assert(
    fc.asyncProperty(trial, async ({ kind, happenings, ...chances }) => {
      const course = KINDS[kind](new Weather(chances));
      for (const { what, at } of happenings) await HAPPENINGS[what](course, at);
      await reachEnd(course);
    }),
    { numRuns: cases(300, 3_000) },
  );
});
