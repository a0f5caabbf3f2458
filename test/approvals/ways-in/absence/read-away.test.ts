import { describe, expect, test } from 'vitest';
import { readAwayTyped } from '../../../../src/approvals/ways-in/absence/read-away.ts';
import { fullText, readEnd } from '../../../../src/approvals/ways-in/read-end.ts';

/** Half past five in the afternoon of a Thursday, on four continents. */
const THURSDAY = '2026-11-26 17:30';
const THERE = [
  ['America/New_York', '2026-11-26T22:30:00Z'],
  ['Europe/Berlin', '2026-11-26T16:30:00Z'],
  ['Asia/Kolkata', '2026-11-26T12:00:00Z'],
  ['Australia/Lord_Howe', '2026-11-26T06:30:00Z'],
] as const;

/** What clocks there show. */
function clockAt(at: number, timeZone: string): string {
  const styles = { dateStyle: 'short', timeStyle: 'short' } as const;
  return new Intl.DateTimeFormat('sv-SE', { timeZone, ...styles }).format(at);
}

/** The end, or what it can mean, by clocks there. */
function meaningOf(words: string, timeZone: string, now: number): string {
  const end = readEnd(words, now, timeZone);
  if (end.kind === 'end') return clockAt(end.until, timeZone);
  if (end.kind !== 'ambiguous') return end.kind;
  return end.readings.map((at) => clockAt(at, timeZone)).join(' or ');
}

function expectEverywhere(words: string, meaning: string): void {
  for (const [timeZone, now] of THERE) {
    expect(meaningOf(words, timeZone, Date.parse(now)), timeZone).toBe(meaning);
  }
}

test.each(THERE)('it is the same Thursday in %s', (timeZone, now) => {
  expect(clockAt(Date.parse(now), timeZone)).toBe(THURSDAY);
});

describe('the end typed after away', () => {
  test.each([
    ['today', '2026-11-26 23:59'],
    ['tonight', '2026-11-26 23:59'],
    ['tomorrow', '2026-11-27 23:59'],
    ['tmrw', '2026-11-27 23:59'],
    ['the day after tomorrow', '2026-11-28 23:59'],
    ['Friday', '2026-11-27 23:59'],
    ['until Friday', '2026-11-27 23:59'],
    ['till fri', '2026-11-27 23:59'],
    ['to Sunday', '2026-11-29 23:59'],
    ['through Saturday', '2026-11-28 23:59'],
    ['by Wed', '2026-12-02 23:59'],
    ['Weds', '2026-12-02 23:59'],
    ['Tues', '2026-12-01 23:59'],
    ['thurs 3 dec', '2026-12-03 23:59'],
    ['this Friday', '2026-11-27 23:59'],
    ['this Thursday', '2026-11-26 23:59'],
    ['this Wednesday', '2026-12-02 23:59'],
    ['coming Thursday', '2026-12-03 23:59'],
    ['this coming Monday', '2026-11-30 23:59'],
    ['next Monday', '2026-11-30 23:59'],
    ['next Thursday', '2026-12-03 23:59'],
    ['next Wednesday', '2026-12-02 23:59'],
    ['Friday next week', '2026-12-04 23:59'],
    ['next week on Friday', '2026-12-04 23:59'],
    ['Wednesday of next week', '2026-12-02 23:59'],
    ['Friday 27', '2026-11-27 23:59'],
    ['Friday 27 Nov', '2026-11-27 23:59'],
    ['Fri, 27th November', '2026-11-27 23:59'],
    ['today, Thursday 26 November', '2026-11-26 23:59'],
  ])('a day lasts to its end: “%s” is %s', expectEverywhere);

  test.each([
    ['27 Nov', '2026-11-27 23:59'],
    ['27. Nov', '2026-11-27 23:59'],
    ['27.Nov', '2026-11-27 23:59'],
    ['Nov 27', '2026-11-27 23:59'],
    ['Nov. 27', '2026-11-27 23:59'],
    ['27nov', '2026-11-27 23:59'],
    ['November 27th', '2026-11-27 23:59'],
    ['18. December', '2026-12-18 23:59'],
    ['12. Jan', '2027-01-12 23:59'],
    ['1st January', '2027-01-01 23:59'],
    ['the 24th of December', '2026-12-24 23:59'],
    ['on the 24th of December', '2026-12-24 23:59'],
    ['December the 24th', '2026-12-24 23:59'],
    ['24th Dec 2026', '2026-12-24 23:59'],
    ['Dec 24, 2026', '2026-12-24 23:59'],
    ['December 24,2026', '2026-12-24 23:59'],
    ['24 December 2026', '2026-12-24 23:59'],
    ['2026-12-24', '2026-12-24 23:59'],
    ['2026/12/24', '2026-12-24 23:59'],
    ['2026.12.24', '2026-12-24 23:59'],
    ['18.12.2026', '2026-12-18 23:59'],
    ['18. 12. 2026', '2026-12-18 23:59'],
    ['18-12-2026', '2026-12-18 23:59'],
    ['24/12/2026', '2026-12-24 23:59'],
    ['12/24/2026', '2026-12-24 23:59'],
    ['12/12/2026', '2026-12-12 23:59'],
    ['24/12', '2026-12-24 23:59'],
    ['12/24', '2026-12-24 23:59'],
    ['24.12.', '2026-12-24 23:59'],
    ['24.12.26', '2026-12-24 23:59'],
    ['12/24/26', '2026-12-24 23:59'],
    ['24-12', '2026-12-24 23:59'],
    ['12/12', '2026-12-12 23:59'],
    ['the 18th', '2026-12-18 23:59'],
    ['18th', '2026-12-18 23:59'],
    ['the 5', '2026-12-05 23:59'],
    ['the 31st', '2026-12-31 23:59'],
    ['15 Feb', '2027-02-15 23:59'],
    ['24 Feb', '2027-02-24 23:59'],
    ['end of December', '2026-12-31 23:59'],
    ['the end of the month', '2026-11-30 23:59'],
    ['eom', '2026-11-30 23:59'],
    ['end of next month', '2026-12-31 23:59'],
  ])('a date, as people in many countries write it: “%s” is %s', expectEverywhere);

  test.each([
    ['Friday 5pm', '2026-11-27 17:00'],
    ['Friday, 5 p.m.', '2026-11-27 17:00'],
    ['friday 5 P.M', '2026-11-27 17:00'],
    ['Friday at 5p', '2026-11-27 17:00'],
    ['Friday 17:00', '2026-11-27 17:00'],
    ['Friday 17.00', '2026-11-27 17:00'],
    ['17:00 on Friday', '2026-11-27 17:00'],
    ['5pm Friday', '2026-11-27 17:00'],
    ['Friday 05:30', '2026-11-27 05:30'],
    ['Friday 10:30', '2026-11-27 10:30'],
    ['Friday 12:30', '2026-11-27 12:30'],
    ['Friday 24:00', '2026-11-27 23:59'],
    ['Friday 9:15 am', '2026-11-27 09:15'],
    ['9.15am Friday', '2026-11-27 09:15'],
    ['tomorrow at 09:00', '2026-11-27 09:00'],
    ['tomorrow at 17', '2026-11-27 17:00'],
    ['tomorrow 5 in the afternoon', '2026-11-27 17:00'],
    ['tomorrow morning at 9', '2026-11-27 09:00'],
    ['tomorrow evening, 8', '2026-11-27 20:00'],
    ['8 in the evening', '2026-11-26 20:00'],
    ['9 in the morning', '2026-11-27 09:00'],
    ['tonight at 9', '2026-11-26 21:00'],
    ['tonight 11', '2026-11-26 23:00'],
    ['27 Nov 17:00', '2026-11-27 17:00'],
    ['18.12.2026 08:00', '2026-12-18 08:00'],
    ['24/12/2026, 17:00', '2026-12-24 17:00'],
    ['2026-11-27 17:00', '2026-11-27 17:00'],
    ['the 18th at 5pm', '2026-12-18 17:00'],
    ['Friday 4 December, 18:00', '2026-12-04 18:00'],
    ['17:30 1 Dec', '2026-12-01 17:30'],
    ['Dec 1 5pm', '2026-12-01 17:00'],
    ['5pm', '2026-11-27 17:00'],
    ['17:31', '2026-11-26 17:31'],
    ['17:30', '2026-11-27 17:30'],
    ['17:29', '2026-11-27 17:29'],
    ['6pm', '2026-11-26 18:00'],
    ['09:00', '2026-11-27 09:00'],
    ['at 18:00', '2026-11-26 18:00'],
    ['17.45', '2026-11-26 17:45'],
    ['@ 6pm', '2026-11-26 18:00'],
    ['12am', '2026-11-26 23:59'],
    ['12pm', '2026-11-27 12:00'],
    ['00:00', '2026-11-26 23:59'],
    ['24:00', '2026-11-26 23:59'],
  ])('a time: “%s” is %s', expectEverywhere);

  test.each([
    ['Monday morning', '2026-11-30 09:00'],
    ['friday afternoon', '2026-11-27 18:00'],
    ['Friday noon', '2026-11-27 12:00'],
    ['friday midday', '2026-11-27 12:00'],
    ['Friday at noon', '2026-11-27 12:00'],
    ['Friday 12 noon', '2026-11-27 12:00'],
    ['Friday evening', '2026-11-27 22:00'],
    ['Friday night', '2026-11-27 23:59'],
    ['friday midnight', '2026-11-27 23:59'],
    ['Friday at midnight', '2026-11-27 23:59'],
    ['the morning of 24 Dec', '2026-12-24 09:00'],
    ['24 Dec in the morning', '2026-12-24 09:00'],
    ['morning of the 24th', '2026-12-24 09:00'],
    ['tomorrow morning', '2026-11-27 09:00'],
    ['tomorrow at noon', '2026-11-27 12:00'],
    ['tomorrow evening', '2026-11-27 22:00'],
    ['tomorrow midnight', '2026-11-27 23:59'],
    ['this evening', '2026-11-26 22:00'],
    ['this afternoon', '2026-11-26 18:00'],
    ['in the morning', '2026-11-27 09:00'],
    ['evening', '2026-11-26 22:00'],
    ['noon', '2026-11-27 12:00'],
    ['midnight', '2026-11-26 23:59'],
    ['eod', '2026-11-26 23:59'],
    ['end of day', '2026-11-26 23:59'],
    ['the end of the day', '2026-11-26 23:59'],
    ['end of Friday', '2026-11-27 23:59'],
    ['Friday eod', '2026-11-27 23:59'],
    ['end of day tomorrow', '2026-11-27 23:59'],
    ['end of the day on Friday', '2026-11-27 23:59'],
    ['Friday afternoon at 4', '2026-11-27 16:00'],
    ['Friday, 11 at night', '2026-11-27 23:00'],
  ])('a part of a day: “%s” is %s', expectEverywhere);

  test.each([
    ['2h', '2026-11-26 19:30'],
    ['2 h', '2026-11-26 19:30'],
    ['2hrs', '2026-11-26 19:30'],
    ['2 hours', '2026-11-26 19:30'],
    ['in 2 hours', '2026-11-26 19:30'],
    ['for 2h', '2026-11-26 19:30'],
    ['for two hours', '2026-11-26 19:30'],
    ['an hour', '2026-11-26 18:30'],
    ['1.5h', '2026-11-26 19:00'],
    ['half an hour', '2026-11-26 18:00'],
    ['90m', '2026-11-26 19:00'],
    ['90 min', '2026-11-26 19:00'],
    ['90 minutes', '2026-11-26 19:00'],
    ['1h30m', '2026-11-26 19:00'],
    ['1h 30m', '2026-11-26 19:00'],
    ['1h30', '2026-11-26 19:00'],
    ['1 hour and 30 minutes', '2026-11-26 19:00'],
    ['1 day 4 hours', '2026-11-27 21:30'],
    ['1d4h', '2026-11-27 21:30'],
    ['24h', '2026-11-27 17:30'],
    ['17h30', '2026-11-27 11:00'],
    ['24 hours', '2026-11-27 17:30'],
    ['in 3 days', '2026-11-29 23:59'],
    ['3 days', '2026-11-29 23:59'],
    ['for 3 days', '2026-11-29 23:59'],
    ['3d', '2026-11-29 23:59'],
    ['three days', '2026-11-29 23:59'],
    ['a day', '2026-11-27 23:59'],
    ['in a week', '2026-12-03 23:59'],
    ['2 weeks', '2026-12-10 23:59'],
    ['in 2w', '2026-12-10 23:59'],
    ['1 wk', '2026-12-03 23:59'],
    ['3 days from now', '2026-11-29 23:59'],
    ['in 3 days at 17:00', '2026-11-29 17:00'],
    ['in 3 days, on Sunday', '2026-11-29 23:59'],
    ['a month', '2026-12-26 23:59'],
    ['in 90 days', '2027-02-24 23:59'],
    ['in 2 months', '2027-01-26 23:59'],
    ['0 days', '2026-11-26 23:59'],
  ])('how long: “%s” is %s', expectEverywhere);

  test.each([
    ['5/6', '2027-05-06 23:59 or 2027-06-05 23:59'],
    ['05.12.2026', '2026-05-12 23:59 or 2026-12-05 23:59'],
    ['5/12', '2026-12-05 23:59 or 2027-05-12 23:59'],
    ['5/12/26', '2026-05-12 23:59 or 2026-12-05 23:59'],
    ['1.2.2027', '2027-01-02 23:59 or 2027-02-01 23:59'],
    ['11-12', '2026-11-12 23:59 or 2026-12-11 23:59'],
    ['26/12/27', '2026-12-27 23:59 or 2027-12-26 23:59'],
    ['18.12', '2026-11-26 18:12 or 2026-12-18 23:59'],
    ['5.12', '2026-11-27 05:12 or 2026-11-27 17:12 or 2026-12-05 23:59 or 2027-05-12 23:59'],
    ['next Friday', '2026-11-27 23:59 or 2026-12-04 23:59'],
    ['next Sunday', '2026-11-29 23:59 or 2026-12-06 23:59'],
    ['Thursday', '2026-11-26 23:59 or 2026-12-03 23:59'],
    ['Thursday 6pm', '2026-11-26 18:00 or 2026-12-03 18:00'],
    ['Thursday evening', '2026-11-26 22:00 or 2026-12-03 22:00'],
    ['the 26th', '2026-11-26 23:59 or 2026-12-26 23:59'],
    ['Sunday next week', '2026-11-29 23:59 or 2026-12-06 23:59'],
    ['next week', '2026-11-29 23:59 or 2026-12-06 23:59'],
    ['end of the week', '2026-11-27 23:59 or 2026-11-29 23:59'],
    ['this week', '2026-11-27 23:59 or 2026-11-29 23:59'],
    ['end of next week', '2026-12-04 23:59 or 2026-12-06 23:59'],
    ['the weekend', '2026-11-27 23:59 or 2026-11-29 23:59'],
    ['next month', '2026-11-30 23:59 or 2026-12-31 23:59'],
    ['December', '2026-11-30 23:59 or 2026-12-31 23:59'],
    ['until Jan', '2026-12-31 23:59 or 2027-01-31 23:59'],
    ['18', '2026-11-26 18:00 or 2026-12-18 23:59'],
    ['until 5', '2026-11-27 05:00 or 2026-11-27 17:00 or 2026-12-05 23:59'],
    ['Friday at 5', '2026-11-27 05:00 or 2026-11-27 17:00'],
    ['tomorrow at 9', '2026-11-27 09:00 or 2026-11-27 21:00'],
    ['Friday 9:00', '2026-11-27 09:00 or 2026-11-27 21:00'],
    ['Friday 5:30', '2026-11-27 05:30 or 2026-11-27 17:30'],
    ["5 o'clock", '2026-11-27 05:00 or 2026-11-27 17:00'],
    ['Friday 12', '2026-11-26 23:59 or 2026-11-27 12:00 or 2026-11-27 23:59'],
    ['Friday 4', '2026-11-27 04:00 or 2026-11-27 16:00 or 2026-12-04 23:59'],
    ['1 Dec 5', '2026-12-01 05:00 or 2026-12-01 17:00 or 2026-12-05 01:00 or 2026-12-05 13:00'],
    ['Friday 12am', '2026-11-26 23:59 or 2026-11-27 23:59'],
    ['Friday 00:00', '2026-11-26 23:59 or 2026-11-27 23:59'],
    ['until 17h', '2026-11-27 10:30 or 2026-11-27 17:00'],
    ['until 9h30', '2026-11-26 21:30 or 2026-11-27 03:00 or 2026-11-27 09:30'],
  ])('two readings: “%s” is %s', expectEverywhere);

  test.each([
    ['yesterday', 'past'],
    ['last Thursday', 'past'],
    ['last Friday', 'past'],
    ['last week', 'past'],
    ['25 Nov', 'past'],
    ['26 Oct', 'past'],
    ['25.11.2026', 'past'],
    ['2020-01-01', 'past'],
    ['today 9am', 'past'],
    ['this morning', 'past'],
    ['this Thursday 09:00', 'past'],
    ['in 0 minutes', 'past'],
    ['October', 'past'],
    ['in 91 days', 'too-far'],
    ['2027-11-26', 'too-far'],
    ['1 May', 'too-far'],
    ['25 Aug', 'too-far'],
    ['Sept 1', 'past'],
    ['3 months', 'too-far'],
    ['99999 hours', 'too-far'],
    ['999999 weeks', 'too-far'],
  ])('no time in the next 90 days: “%s” is %s', expectEverywhere);

  test.each([
    ['', 'unknown'],
    ['soon', 'unknown'],
    ['later today', 'unknown'],
    ['Friday or so', 'unknown'],
    ['Friday or Saturday', 'unknown'],
    ['Friday and Saturday', 'unknown'],
    ['1 Dec to 5 Dec', 'unknown'],
    ['Monday until Friday', 'unknown'],
    ['tomorrow 28 Nov', 'unknown'],
    ['31 Feb', 'unknown'],
    ['29 Feb', 'unknown'],
    ['2026-02-30', 'unknown'],
    ['31/13/2026', 'unknown'],
    ['0 Dec', 'unknown'],
    ['in -3 days', 'unknown'],
    ['-3 days', 'unknown'],
    ['a few days', 'unknown'],
    ['a couple of weeks', 'unknown'],
    ['3 working days', 'unknown'],
    ['2 days ago', 'unknown'],
    ['Friday 5pm EST', 'unknown'],
    ['5pm UTC', 'unknown'],
    ['2026-11-27T17:00:00Z', 'unknown'],
    ['Friday 25:00', 'unknown'],
    ['Friday 17:60', 'unknown'],
    ['Friday 13pm', 'unknown'],
    ['Friday 0am', 'unknown'],
    ['Friday morning 17:00', 'unknown'],
    ['Friday 2h', 'unknown'],
    ['noon midnight', 'unknown'],
    ['before Friday', 'unknown'],
    ['mid December', 'unknown'],
    ['early next week', 'unknown'],
    ['Christmas', 'unknown'],
    ['next year', 'unknown'],
    ['the', 'unknown'],
    ['on', 'unknown'],
    ['and', 'unknown'],
    ['5 6 7', 'unknown'],
    ['next', 'unknown'],
    ['this', 'unknown'],
    ['half', 'unknown'],
    ['h', 'unknown'],
    ['18. Dezember', 'unknown'],
    ['Freitag', 'unknown'],
    ['vendredi', 'unknown'],
  ])('not understood: “%s” is %s', expectEverywhere);

  test.each([
    ['Saturday 27 Nov', 'other-weekday'],
    ['Monday 2026-12-24', 'other-weekday'],
    ['tomorrow, Saturday', 'other-weekday'],
    ['Sunday in 2 weeks', 'other-weekday'],
  ])('another weekday: “%s” is %s', expectEverywhere);

  test.each([
    // It is already Friday there.
    ['Friday', 'Pacific/Kiritimati', '2026-11-27 23:59 or 2026-12-04 23:59'],
    ['tomorrow', 'Pacific/Kiritimati', '2026-11-28 23:59'],
    ['tomorrow', 'Pacific/Pago_Pago', '2026-11-27 23:59'],
    ['Friday 5pm', 'America/Los_Angeles', '2026-11-27 17:00'],
    ['in 90 days', 'Asia/Kathmandu', '2027-02-24 23:59'],
  ])('“%s” counts from the day it is in %s', (words, timeZone, meaning) => {
    expect(meaningOf(words, timeZone, Date.UTC(2026, 10, 26, 17, 30))).toBe(meaning);
  });

  test.each([
    ['this Saturday', '2026-11-28T09:00', '2026-11-28 23:59'],
    ['Saturday', '2026-11-28T09:00', '2026-11-28 23:59 or 2026-12-05 23:59'],
    ['Saturday morning', '2026-11-28T08:00', '2026-11-28 09:00 or 2026-12-05 09:00'],
    ['Saturday morning', '2026-11-28T10:00', '2026-12-05 09:00'],
    ['next Saturday', '2026-11-28T09:00', '2026-12-05 23:59'],
    ['next Monday', '2026-11-29T09:00', '2026-11-30 23:59 or 2026-12-07 23:59'],
    ['26 Nov', '2026-11-28T09:00', 'past'],
    ['28 Dec', '2027-01-02T09:00', 'past'],
    ['1 Jan', '2026-12-31T23:00', '2027-01-01 23:59'],
    ['the 31st', '2027-02-01T09:00', '2027-03-31 23:59'],
    ['a month', '2027-01-31T09:00', '2027-02-28 23:59'],
    ['Friday', '2026-12-30T09:00', '2027-01-01 23:59'],
    ['29 Feb', '2028-02-20T09:00', '2028-02-29 23:59'],
    ['December', '2026-12-02T09:00', '2026-12-31 23:59'],
    ['end of the month', '2026-11-30T09:00', '2026-11-30 23:59'],
    ['at 5:30', '2026-11-28T09:00', '2026-11-28 17:30 or 2026-11-29 05:30'],
    ['today 5:30', '2026-11-28T09:00', '2026-11-28 17:30'],
    ['today at 12am', '2026-11-28T09:00', '2026-11-28 23:59'],
    ['midnight', '2026-11-28T00:00', '2026-11-28 23:59'],
  ])('“%s” typed on %s is %s', (words, now, meaning) => {
    expect(meaningOf(words, 'UTC', Date.parse(`${now}Z`))).toBe(meaning);
  });

  test.each([
    ['a longer day', 'Sunday', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-25T22:59:59.000Z'],
    ['a shorter day', 'Sunday', 'Europe/Berlin', '2026-03-28T12:00', '2026-03-29T21:59:59.000Z'],
    [
      'an hour that comes twice',
      'Sunday 2:30am',
      'Europe/Berlin',
      '2026-10-24T12:00',
      '2026-10-25T01:30:00.000Z',
    ],
    [
      'an hour that never comes',
      'Sunday 2:30am',
      'Europe/Berlin',
      '2026-03-28T12:00',
      '2026-03-29T01:30:00.000Z',
    ],
    // Clocks go forward at midnight: the day ends an hour earlier.
    [
      'a midnight that never comes',
      '2026-04-23',
      'Africa/Cairo',
      '2026-04-20T12:00',
      '2026-04-23T21:59:59.000Z',
    ],
    // Half an hour there.
    [
      'a longer day',
      'Sunday',
      'Australia/Lord_Howe',
      '2026-04-04T00:00',
      '2026-04-05T13:29:59.000Z',
    ],
    [
      'a shorter day',
      'Sunday',
      'Australia/Lord_Howe',
      '2026-10-03T00:00',
      '2026-10-04T12:59:59.000Z',
    ],
    [
      'a morning after a change',
      'tomorrow morning',
      'America/New_York',
      '2026-10-31T16:00',
      '2026-11-01T14:00:00.000Z',
    ],
    // Hours are as long as ever.
    [
      'hours over a change',
      '2h',
      'America/New_York',
      '2026-11-01T05:30',
      '2026-11-01T07:30:00.000Z',
    ],
    [
      'hours over a change',
      '2h',
      'America/New_York',
      '2026-03-08T06:30',
      '2026-03-08T08:30:00.000Z',
    ],
    [
      'hours over a change',
      '90m',
      'Australia/Lord_Howe',
      '2026-04-04T14:30',
      '2026-04-04T16:00:00.000Z',
    ],
    ['hours over a change', '24h', 'Europe/Berlin', '2026-10-24T12:00', '2026-10-25T12:00:00.000Z'],
    [
      'a day and hours',
      '1 day 2h',
      'Europe/Berlin',
      '2026-10-24T12:00',
      '2026-10-25T15:00:00.000Z',
    ],
  ])('is right on %s: “%s” in %s, typed on %s', (_, words, timeZone, now, until) => {
    const end = readEnd(words, Date.parse(`${now}Z`), timeZone);
    expect(end).toEqual({ kind: 'end', until: Date.parse(until) });
  });

  test('each reading is shown in words that mean nothing else', () => {
    const [timeZone, now] = ['Europe/Berlin', Date.parse('2026-11-26T16:30:00Z')];
    const end = readEnd('5.12', now, timeZone);
    const shown =
      end.kind === 'ambiguous' ? end.readings.map((at) => fullText(at, timeZone, now)) : [];
    expect(shown).toEqual([
      'Friday 27 November, 05:12',
      'Friday 27 November, 17:12',
      'Saturday 5 December, 23:59',
      'Wednesday 12 May 2027, 23:59',
    ]);
    expect(shown.map((words) => meaningOf(words, timeZone, now))).toEqual([
      '2026-11-27 05:12',
      '2026-11-27 17:12',
      '2026-12-05 23:59',
      'too-far',
    ]);
  });

  test('a long text of numbers is read at once, and a longer one not at all', () => {
    expect(readEnd('1 '.repeat(50).trim(), 0, 'UTC').kind).toBe('ambiguous');
    expect(readEnd('1 2 3 '.repeat(16).trim(), 0, 'UTC').kind).toBe('unknown');
    expect(readEnd(`${'1 '.repeat(50)}1`, 0, 'UTC').kind).toBe('unknown');
  });
});

test.each([
  ['away', { kind: 'show' }],
  ['AWAY.', { kind: 'show' }],
  ['back', { kind: 'back' }],
  ['Back!', { kind: 'back' }],
  ['away until Friday', { kind: 'set', until: 'until Friday' }],
  ['away till 2026\u201112\u201124', { kind: 'set', until: 'till 2026-12-24' }],
  ['away 5pm', { kind: 'set', until: '5pm' }],
  ['away in 3 days', { kind: 'set', until: 'in 3 days' }],
  ['away until', { kind: 'set', until: '' }],
  ['away until Friday <@U0BEN|ben>', { kind: 'set', until: 'until Friday', substitute: 'U0BEN' }],
  ['away <@U0BEN> until Friday', { kind: 'set', until: 'until Friday', substitute: 'U0BEN' }],
  [
    'away until Friday, with <@W0BEN|b>.',
    { kind: 'set', until: 'until Friday', substitute: 'W0BEN' },
  ],
  ['away <@U0BEN|ben>', { kind: 'set', until: '', substitute: 'U0BEN' }],
  ['away with <@U0BEN> until Friday', { kind: 'set', until: 'until Friday', substitute: 'U0BEN' }],
  ['away with <@U0BEN>, until Friday', { kind: 'set', until: 'until Friday', substitute: 'U0BEN' }],
  ['<@U0BEN> away until Friday', { kind: 'set', until: 'until Friday', substitute: 'U0BEN' }],
  ['away Friday &amp; <@U0BEN>', { kind: 'set', until: 'Friday', substitute: 'U0BEN' }],
  ['away for 2h, substitute: <@U0BEN>', { kind: 'set', until: 'for 2h', substitute: 'U0BEN' }],
  [
    'away until Friday with <@U0BEN> at 5pm',
    { kind: 'set', until: 'until Friday at 5pm', substitute: 'U0BEN' },
  ],
  [
    'away until Friday <@U0BEN> <@U0BEN>',
    { kind: 'set', until: 'until Friday', substitute: 'U0BEN' },
  ],
  ['away until Friday <@U0BEN> <@U0ANA>', { kind: 'several' }],
  ['away until Friday @ben', { kind: 'unknown-name' }],
  ['away until Friday <!subteam^S0SRE|@sre>', { kind: 'no-person' }],
  ['away until Friday <#C0DEPLOYS|deploys>', { kind: 'no-person' }],
  ['away until &lt;Friday&gt;', { kind: 'set', until: 'until &lt;Friday&gt' }],
  ['away help', undefined],
  ['away --help', undefined],
  ['all', undefined],
  ['awayish', undefined],
  ['7H2N-K4QM', undefined],
])('reads the command text "%s"', (text, typed) => {
  expect(readAwayTyped(text)).toEqual(typed);
});
