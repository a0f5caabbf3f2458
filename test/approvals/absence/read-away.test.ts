import { describe, expect, test } from 'vitest';
import { readAwayEnd, readAwayTyped } from '../../../src/approvals/absence/read-away.ts';

/** A Thursday. */
const NOW = Date.UTC(2026, 10, 26, 17, 30);
const LONDON = 'Europe/London';

function endOf(words: string, timeZone = LONDON, now = NOW): string {
  const end = readAwayEnd(words, now, timeZone);
  return end.kind === 'end' ? new Date(end.until).toISOString() : end.kind;
}

describe('the end typed after /away', () => {
  test.each([
    ['Friday', '2026-11-27T23:59:59.000Z'],
    ['fri', '2026-11-27T23:59:59.000Z'],
    ['Thursday', '2026-12-03T23:59:59.000Z'],
    ['Wednesday', '2026-12-02T23:59:59.000Z'],
    ['next Friday', '2026-12-04T23:59:59.000Z'],
    ['today', '2026-11-26T23:59:59.000Z'],
    ['tonight', '2026-11-26T23:59:59.000Z'],
    ['tomorrow', '2026-11-27T23:59:59.000Z'],
    ['in 3 days', '2026-11-29T23:59:59.000Z'],
    ['3 days', '2026-11-29T23:59:59.000Z'],
    ['in 2 weeks', '2026-12-10T23:59:59.000Z'],
    ['in a week', '2026-12-03T23:59:59.000Z'],
    ['in 90 days', '2027-02-24T23:59:59.000Z'],
    ['2026-12-24', '2026-12-24T23:59:59.000Z'],
    ['27 Nov', '2026-11-27T23:59:59.000Z'],
    ['Nov 27', '2026-11-27T23:59:59.000Z'],
    ['Fri 27 Nov', '2026-11-27T23:59:59.000Z'],
    ['27 November 2026', '2026-11-27T23:59:59.000Z'],
    ['1st January', '2027-01-01T23:59:59.000Z'],
    ['Friday 5pm', '2026-11-27T17:00:00.000Z'],
    ['Friday 17:00', '2026-11-27T17:00:00.000Z'],
    ['tomorrow at 9', '2026-11-27T09:00:00.000Z'],
    ['2026-11-27 17:00', '2026-11-27T17:00:00.000Z'],
    ['in 5 hours', '2026-11-26T22:30:00.000Z'],
    ['5pm', '2026-11-27T17:00:00.000Z'],
  ])('as "%s" is %s', (words, end) => {
    expect(endOf(words)).toBe(end);
  });

  test.each([
    ['yesterday', 'past'],
    ['2026-11-25', 'past'],
    ['2020-01-01', 'past'],
    ['in 91 days', 'too-far'],
    ['25 Nov', 'too-far'],
    ['2027-11-26', 'too-far'],
    ['', 'unknown'],
    ['soon', 'unknown'],
    ['Friday or so', 'unknown'],
    ['Friday and Saturday', 'unknown'],
    ['1 Dec to 5 Dec', 'unknown'],
    ['Saturday 27 Nov', 'unknown'],
    ['31 Feb', 'unknown'],
    ['29 Feb', 'unknown'],
    ['2026-02-30', 'unknown'],
    ['in -3 days', 'unknown'],
    ['next month', 'unknown'],
    // Ambiguous: May or December.
    ['5/12', 'unknown'],
    ['05.12.2026', 'unknown'],
    ['Friday 5pm EST', 'unknown'],
    ['2026-11-27T17:00:00Z', 'unknown'],
  ])('as "%s" is %s', (words, kind) => {
    expect(endOf(words)).toBe(kind);
  });

  test.each([
    // It is already Friday there.
    ['Friday', 'Pacific/Kiritimati', '2026-12-04T09:59:59.000Z'],
    ['tomorrow', 'Asia/Tokyo', '2026-11-28T14:59:59.000Z'],
    ['tomorrow', 'America/New_York', '2026-11-28T04:59:59.000Z'],
    ['tomorrow', 'Asia/Kathmandu', '2026-11-27T18:14:59.000Z'],
    ['tomorrow', 'Pacific/Pago_Pago', '2026-11-28T10:59:59.000Z'],
    ['Friday 5pm', 'America/Los_Angeles', '2026-11-28T01:00:00.000Z'],
    ['in 90 days', 'Asia/Kolkata', '2027-02-24T18:29:59.000Z'],
  ])('as "%s" in %s is %s', (words, timeZone, end) => {
    expect(endOf(words, timeZone)).toBe(end);
  });

  test.each([
    [
      'a longer day',
      'Sunday',
      'Europe/Berlin',
      Date.UTC(2026, 9, 24, 12),
      '2026-10-25T22:59:59.000Z',
    ],
    [
      'a shorter day',
      'Sunday',
      'Europe/Berlin',
      Date.UTC(2026, 2, 28, 12),
      '2026-03-29T21:59:59.000Z',
    ],
    [
      'an hour that comes twice',
      'Sunday 2:30am',
      'Europe/Berlin',
      Date.UTC(2026, 9, 24, 12),
      '2026-10-25T01:30:00.000Z',
    ],
    [
      'an hour that never comes',
      'Sunday 2:30am',
      'Europe/Berlin',
      Date.UTC(2026, 2, 28, 12),
      '2026-03-29T01:30:00.000Z',
    ],
    // Clocks go forward at midnight: the day ends an hour earlier.
    [
      'a midnight that never comes',
      '2026-04-23',
      'Africa/Cairo',
      Date.UTC(2026, 3, 20, 12),
      '2026-04-23T21:59:59.000Z',
    ],
    ['a leap day', '29 Feb', 'UTC', Date.UTC(2028, 1, 20), '2028-02-29T23:59:59.000Z'],
    ['the end of a year', 'Friday', 'UTC', Date.UTC(2026, 11, 30), '2027-01-01T23:59:59.000Z'],
  ])('is right on %s', (_, words, timeZone, now, end) => {
    expect(endOf(words, timeZone, now)).toBe(end);
  });
});

test.each([
  ['away', { kind: 'show' }],
  ['AWAY.', { kind: 'show' }],
  ['back', { kind: 'back' }],
  ['Back!', { kind: 'back' }],
  ['away until Friday', { kind: 'set', until: 'Friday' }],
  ['away till 2026\u201112\u201124', { kind: 'set', until: '2026-12-24' }],
  ['away in 3 days', { kind: 'set', until: 'in 3 days' }],
  ['away until', { kind: 'set', until: '' }],
  ['away until Friday <@U0BEN|ben>', { kind: 'set', until: 'Friday', substitute: 'U0BEN' }],
  ['away <@U0BEN> until Friday', { kind: 'set', until: 'Friday', substitute: 'U0BEN' }],
  ['away until Friday, with <@W0BEN|b>.', { kind: 'set', until: 'Friday', substitute: 'W0BEN' }],
  ['away <@U0BEN|ben>', { kind: 'set', until: '', substitute: 'U0BEN' }],
  ['away until Friday <@U0BEN> <@U0BEN>', { kind: 'set', until: 'Friday', substitute: 'U0BEN' }],
  ['away until Friday <@U0BEN> <@U0ANA>', { kind: 'several' }],
  ['away until Friday @ben', { kind: 'unknown-name' }],
  ['away until Friday <!subteam^S0SRE|@sre>', { kind: 'no-person' }],
  ['away until Friday <#C0DEPLOYS|deploys>', { kind: 'no-person' }],
  ['away until &lt;Friday&gt;', { kind: 'set', until: '&lt;Friday&gt' }],
  ['all', undefined],
  ['awayish', undefined],
  ['7H2N-K4QM', undefined],
])('reads the command text "%s"', (text, typed) => {
  expect(readAwayTyped(text)).toEqual(typed);
});
