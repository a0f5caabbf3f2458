import { describe, expect, it } from 'vitest';
import { retryAfterMs } from '../../../src/core/lib/retry-after.ts';

const now = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');

describe('retryAfterMs', () => {
  it.each([
    ['0', 0],
    [' 2 ', 2000],
    ['0.5', 500],
    ['60', 60_000],
    ['61', 60_000],
    ['99999999999999999999', 60_000],
    ['Sun, 06 Nov 1994 08:49:40 GMT', 3000],
    ['Sunday, 06-Nov-94 08:49:40 GMT', 3000],
    ['Sun, 06 Nov 1994 08:00:00 GMT', 0],
    ['Sun, 06 Nov 2094 08:00:00 GMT', 60_000],
  ])('reads %j', (header, waitMs) => {
    expect(retryAfterMs(header, now)).toBe(waitMs);
  });

  it.each([
    null,
    undefined,
    '',
    '-1',
    '1e3',
    'soon',
    '2026-01-01T00:00:00Z',
    'Sun, 99 Foo',
    '2, 3',
  ])('ignores %j', (header) => {
    expect(retryAfterMs(header, now)).toBeUndefined();
  });

  it('keeps to the cap it is given', () => {
    expect(retryAfterMs('30', now, 5000)).toBe(5000);
  });
});
