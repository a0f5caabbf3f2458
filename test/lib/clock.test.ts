import { expect, it } from 'vitest';
import { ageClock, systemClock } from '../../src/lib/clock.ts';

it('tells the time since the epoch, and durations apart from it', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
  const before = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  expect(before).toBeLessThan(systemClock.now());
});

it('counts the time that the machine was suspended, and only that', () => {
  let [now, tick] = [1_000_000, 500];
  const { monotonic } = ageClock({ now: () => now, monotonic: () => tick });
  const pass = (wallMs: number, tickMs: number) => {
    now += wallMs;
    tick += tickMs;
    return monotonic();
  };
  expect(monotonic()).toBe(500);
  expect(pass(1_000, 1_000)).toBe(1_500);
  // Clocks are read one after the other, and one of them in whole milliseconds.
  expect(pass(1, 0.2)).toBe(1_500.2);
  expect(pass(3_600_010, 10)).toBeCloseTo(3_601_510.2, 5);
  // Somebody sets the clock back.
  expect(pass(-7_200_000, 5)).toBeCloseTo(3_601_515.2, 5);
  expect(pass(20, 20)).toBeCloseTo(3_601_535.2, 5);
});
