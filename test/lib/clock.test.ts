import { expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';

it('tells the time since the epoch, and durations apart from it', () => {
  expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1000);
  const before = systemClock.monotonic();
  expect(systemClock.monotonic()).toBeGreaterThanOrEqual(before);
  expect(before).toBeLessThan(systemClock.now());
});
