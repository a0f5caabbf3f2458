import { describe, expect, it } from 'vitest';
import { compareIsoTimes, instantOf, readIsoTime } from '../../../src/core/lib/iso-time.ts';

describe('an ISO 8601 time', () => {
  it.each([
    '2030-01-01T10:00:00Z',
    '2030-01-01t10:00:00z',
    '2030-01-01T11:00:00+0100',
    '2030-01-01T11:00:00+01:00',
    '2030-01-01T11:00:00+01',
    '2030-01-01T05:30:00-04:30',
    '2030-01-01T10:00Z',
    '2030-01-01T10Z',
    '2030-01-01T10:00:00.000000000000000000000Z',
    '2030-01-01T10:00:00,0Z',
    '20300101T100000Z',
    '20300101T1100+0100',
    '2029-12-31T24:00:00-10:00',
    // Without a zone, as if in UTC.
    '2030-01-01T10:00',
    '2030-01-01T10:00:00',
  ])('is read in the form %s', (text) => {
    expect(compareIsoTimes(text, '2030-01-01T10:00:00Z')).toBe(0);
  });

  it.each([
    '',
    'yesterday',
    '1893492000',
    '2030-01-01',
    '2030-01-01 10:00:00Z',
    '2030-02-30T10:00:00Z',
    '2030-13-01T10:00:00Z',
    '2030-0101T10:00:00Z',
    '2030-01-01T25:00:00Z',
    '2030-01-01T24:01:00Z',
    '2030-01-01T10:60:00Z',
    '2030-01-01T10:0000Z',
    '2030-01-01T10:00:00+24:00',
    '2030-01-01T10:00:00Z trailing',
  ])('is not read from %j', (text) => {
    expect(readIsoTime(text)).toBeNull();
  });
});

it('says whether there is a zone', () => {
  expect(readIsoTime('2030-01-01T10:00')?.hasZone).toBe(false);
  expect(readIsoTime('2030-01-01T10:00-05')?.hasZone).toBe(true);
});

it('is converted to milliseconds when its zone is known', () => {
  expect(instantOf('2030-01-01T11:00:00.2999+01:00')).toBe(Date.UTC(2030, 0, 1, 10, 0, 0, 299));
  expect(instantOf('2030-01-01T10:00:00Z')).toBe(Date.UTC(2030, 0, 1, 10));
  expect(instantOf('2030-01-01T10:00:00')).toBeNull();
  expect(instantOf('yesterday')).toBeNull();
});

it('is compared to the last digit, whatever its form', () => {
  const ascending = [
    'no time',
    '0099-01-01T00:00Z',
    '2030-01-01T10:00:00+01:00',
    '2030-01-01T09:59:59.9Z',
    '2030-01-01T10:00Z',
    '2030-01-01T10:00:00.1234567890123456788Z',
    '2030-01-01T10:00:00.1234567890123456789Z',
    '2030-01-01T10:00:00.2Z',
    '2030-01-01T10:00:00.19999-01:00',
  ];
  for (const [index, time] of ascending.entries()) {
    for (const [at, other] of ascending.entries()) {
      expect(Math.sign(compareIsoTimes(time, other))).toBe(Math.sign(index - at));
    }
  }
});
