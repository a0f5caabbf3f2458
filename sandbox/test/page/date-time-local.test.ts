import { expect, it } from 'vitest';
import { localOf, secondsOf } from '../../page/client/elements/date-time-local.ts';

it.each([
  ['Europe/Madrid', '2026-07-01T12:00', Date.UTC(2026, 6, 1, 10)],
  ['Europe/Madrid', '2026-01-01T00:30', Date.UTC(2025, 11, 31, 23, 30)],
  ['America/New_York', '2026-03-08T03:00', Date.UTC(2026, 2, 8, 7)],
  ['America/New_York', '2026-03-08T01:59', Date.UTC(2026, 2, 8, 6, 59)],
  ['Asia/Kolkata', '2026-02-28T23:59', Date.UTC(2026, 1, 28, 18, 29)],
])('reads and writes a moment in %s: %s', (timeZone, local, at) => {
  expect(secondsOf(local, timeZone)).toBe(at / 1000);
  expect(localOf(at / 1000, timeZone)).toBe(local);
});
