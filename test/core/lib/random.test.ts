import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';

test('any number of bytes is returned, even more than one batch', () => {
  for (const bytes of [0, 1, 12, 4_095, 4_096, 4_097, 100_000]) {
    expect(systemRandom.bytes(bytes)).toHaveLength(bytes);
  }
});

test('no bytes are returned twice, and returned bytes never change', () => {
  const given = Array.from({ length: 2_000 }, () => systemRandom.bytes(12));
  const texts = given.map((each) => each.toString('hex'));
  expect(new Set(texts).size).toBe(texts.length);
  systemRandom.bytes(20_000);
  expect(given.map((each) => each.toString('hex'))).toEqual(texts);
});

test('every value of a byte comes up about as often as every other', () => {
  const counts = new Array<number>(256).fill(0);
  for (let i = 0; i < 8_192; i += 1) {
    for (const byte of systemRandom.bytes(32)) counts[byte] = (counts[byte] ?? 0) + 1;
  }
  // 1,024 of each on average, with a standard deviation of 32.
  expect(Math.min(...counts)).toBeGreaterThan(1_024 - 7 * 32);
  expect(Math.max(...counts)).toBeLessThan(1_024 + 7 * 32);
});
