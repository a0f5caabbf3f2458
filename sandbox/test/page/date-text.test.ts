import { expect, it } from 'vitest';
import { dateText } from '../../page/client/text/date-text.ts';

const at = Date.UTC(2026, 0, 15, 23, 30, 5);
const hour = 3_600_000;

it.each([
  ['{date_num}', 'Europe/London', '15/01/2026'],
  ['{date_num} {time}', 'Europe/Madrid', '16/01/2026 00:30'],
  ['{date_short} at {time_secs}', 'America/New_York', '15 Jan 2026 at 18:30:05'],
  ['{date_short_pretty}', 'Europe/London', 'yesterday'],
  ['{date_short_pretty}', 'Europe/Madrid', 'today'],
  ['{ago}', 'Europe/London', '2 hours ago'],
  ['{unknown} stays', 'Europe/London', '{unknown} stays'],
])('writes %s in %s as %s', (form, timeZone, words) => {
  expect(dateText(form, at, timeZone, at + 2 * hour)).toBe(words);
});

it('formats a time in the future', () => {
  expect(dateText('{date_pretty}, {ago}', at, 'UTC', at - 10 * hour)).toBe('today, in 10 hours');
  expect(dateText('{date_pretty}', at, 'UTC', at - 24 * hour)).toBe('tomorrow');
});
