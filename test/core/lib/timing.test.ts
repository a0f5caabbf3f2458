import { describe, expect, test } from 'vitest';
import { FRESH_MS } from '../../../src/core/engine/attempt.ts';
import { TRUE_TIME, timingAt } from '../../../src/core/lib/timing.ts';

describe.each([1, 0.5, 0.2, 0.1, 0.01])('at a scale of %d', (scale) => {
  const timing = timingAt(scale);

  test('a call ends well before the lease of its record', () => {
    expect(timing.stepMs).toBeLessThan(timing.leaseMs / 2);
    expect(FRESH_MS + timing.stepMs).toBeLessThan(timing.leaseMs);
  });

  test('a lease outlasts a call at true time, too', () => {
    expect(FRESH_MS + TRUE_TIME.stepMs).toBeLessThan(timing.leaseMs);
  });

  test('a call has at least 3 seconds, even on a slow machine', () => {
    expect(timing.stepMs).toBeGreaterThanOrEqual(3_000);
  });

  test('all times are whole', () => {
    JSON.stringify(timing, (_, value: unknown) => {
      if (typeof value === 'number') expect(Number.isInteger(value)).toBe(true);
      return value;
    });
  });
});

test('waits are in proportion to the scale', () => {
  const { quietMs, settleReadsMs, alertMs, polls } = timingAt(0.1);
  expect(quietMs).toBe(1_000);
  expect(settleReadsMs).toEqual([0, 200, 500, 1_000]);
  expect(alertMs).toEqual({ first: 100, unclear: 1_000, most: 60_000 });
  expect(polls[0]).toEqual({ fromMs: 0, everyMs: 1_500 });
});
