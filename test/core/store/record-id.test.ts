import { expect, test } from 'vitest';
import { systemRandom } from '../../../src/core/lib/random.ts';
import {
  formatRecordId,
  parseRecordId,
  randomName,
  shardOf,
} from '../../../src/core/store/record-id.ts';

test('an id names its shard', () => {
  const id = { shard: 12, member: 'abcDEF_-01234567' };
  expect(formatRecordId(id)).toBe('12-abcDEF_-01234567');
  expect(parseRecordId(formatRecordId(id), 64)).toEqual(id);
});

test.each([
  '12-abcDEF_-01234567',
  '0-short',
  '0-abcDEF_-012345678',
  'x-abcDEF_-01234567',
  '0-abcDEF:}01234567',
  '',
])('%j is no id of a store with 12 shards', (id) => {
  expect(parseRecordId(id, 12)).toBeUndefined();
});

test('a name stays in its shard from one version to the next', () => {
  // Published values of FNV-1a: 811c9dc5, e40c292c, e70c2de5, bf9cf968.
  expect(['', 'a', 'b', 'foobar'].map((name) => shardOf(name, 64))).toEqual([5, 44, 37, 40]);
});

test('names spread over the shards', () => {
  const counts = new Array<number>(16).fill(0);
  for (let i = 0; i < 16_000; i += 1) {
    const shard = shardOf(`name ${i}`, 16);
    counts[shard] = (counts[shard] ?? 0) + 1;
  }
  for (const count of counts) expect(count).toBeGreaterThan(800);
});

test('no name begins with a dash, which would begin an option of the command line', () => {
  const named = (first: number) =>
    randomName({ ...systemRandom, bytes: () => Buffer.alloc(12, first) });
  expect(named(0xff)).toBe('_'.repeat(16));
  expect(
    randomName({ ...systemRandom, bytes: () => Buffer.from('+'.padEnd(16, 'a'), 'base64') }),
  ).toMatch(/^Aaa/);
});
