import { describe, expect, test } from 'vitest';
import { firstPollAt, nextPollAt } from '../../src/approvals/schedule.ts';
import { patientWaitMs } from '../../src/core/engine/patience.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const START = 1_790_000_000_000;
const base = {
  createdAt: START,
  expiresAt: undefined,
  pending: 1,
  budgetPerMinute: 240,
  jitter: 0.5,
};

describe('the next poll', () => {
  test.each([
    ['new', 0, 15 * SECOND],
    ['two minutes old', 2 * MINUTE - 1, 15 * SECOND],
    ['older', 2 * MINUTE, MINUTE],
    ['half an hour old', 30 * MINUTE, 5 * MINUTE],
    ['six hours old', 6 * HOUR, 15 * MINUTE],
    ['days old', 72 * HOUR, 15 * MINUTE],
  ])('of an approval that is %s comes after the interval for its age', (_age, age, waitMs) => {
    const now = START + age;
    expect(nextPollAt({ ...base, now }, TRUE_TIME) - now).toBe(waitMs);
  });

  test('is jittered by up to a tenth', () => {
    expect(nextPollAt({ ...base, now: START, jitter: 0 }, TRUE_TIME)).toBe(START + 13_500);
    expect(nextPollAt({ ...base, now: START, jitter: 0.999_999 }, TRUE_TIME)).toBe(START + 16_500);
  });

  test.each([
    [2_520, 1],
    [2_646, 1.05],
    [25_200, 10],
    [1_000_000, 396.825],
  ])(
    'slows down to stay within the budget: %d approvals each wait %d times as long',
    (pending, times) => {
      const waitOf = (age: number, everyMs: number) =>
        (nextPollAt({ ...base, pending, now: START + age }, TRUE_TIME) - START - age) / everyMs;
      expect(waitOf(0, 15 * SECOND)).toBeCloseTo(times, 2);
      expect(waitOf(7 * HOUR, 15 * MINUTE)).toBeCloseTo(times, 2);
    },
  );

  test.each([
    ['comes right after a deadline that is nearer', 5 * SECOND, 7 * SECOND],
    ['is not put off to a deadline that is later', HOUR, 15 * SECOND],
    ['goes its way after the deadline', -10 * SECOND, 15 * SECOND],
  ])('%s', (_what, deadlineMs, waitMs) => {
    const expiresAt = START + deadlineMs;
    expect(nextPollAt({ ...base, now: START, expiresAt }, TRUE_TIME) - START).toBe(waitMs);
  });
});

test('the first poll comes after 15 seconds, or right after a nearer deadline', () => {
  expect(firstPollAt(0, TRUE_TIME)).toBe(15 * SECOND);
  expect(firstPollAt(0, TRUE_TIME, 5 * SECOND)).toBe(7 * SECOND);
});

test('the wait doubles up to its maximum', () => {
  const waits = [0, 1, 2, 9, 10_000].map((tries) => patientWaitMs(tries, 500, MINUTE));
  expect(waits).toEqual([500, 1_000, 2_000, MINUTE, MINUTE]);
});
