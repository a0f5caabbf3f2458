import { expect, test } from 'vitest';
import { StoreTime } from '../../../../src/core/store/redis/store-time.ts';

function timeAt(): { time: StoreTime; at: (now: number) => void } {
  let now = 0;
  const time = new StoreTime({ monotonic: () => now });
  return {
    time,
    at: (next) => {
      now = next;
    },
  };
}

test('the store’s time is known from one answer, and goes on with the clock', () => {
  const { time, at } = timeAt();
  at(110);
  time.learn(100, 5_000);
  expect(time.in(0)).toBe(5_000);
  at(210);
  expect(time.in(1_000)).toBe(6_100);
});

test('a slow answer does not make it less exact', () => {
  const { time, at } = timeAt();
  at(101);
  time.learn(100, 5_000);
  at(3_000);
  time.learn(200, 5_100);
  expect(time.in(0)).toBe(7_899);
});

test('a clock set forward or back is followed with the next answer', () => {
  const { time, at } = timeAt();
  at(101);
  time.learn(100, 5_000);
  at(201);
  time.learn(200, 90_000);
  expect(time.in(0)).toBe(90_000);
  at(301);
  time.learn(300, 1_000);
  expect(time.in(0)).toBe(1_002);
});

test('before the first answer there is no upper bound', () => {
  expect(timeAt().time.in(1_000)).toBe(Number.MAX_SAFE_INTEGER);
});
