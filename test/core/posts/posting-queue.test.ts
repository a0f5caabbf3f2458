import { expect, test } from 'vitest';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createPostingQueue } from '../../../src/core/posts/posting-queue.ts';

function stage() {
  const clock = { now: 50_000, monotonic: () => clock.now };
  return { clock, queue: createPostingQueue(clock, TRUE_TIME) };
}

test('a channel without waiting posts has no queue', () => {
  const { queue } = stage();
  expect(queue.join('C1')).toBe(0);
  queue.taken('C1', 0);
  queue.taken('C1', 1_000);
  expect(queue.join('C1')).toBe(0);
});

test('a new post queues one turn after the last, and after posts that joined before', () => {
  const { queue, clock } = stage();
  queue.taken('C1', 2_000);
  clock.now += 500;
  expect([queue.join('C1'), queue.join('C1')]).toEqual([2_500, 2_500 + TRUE_TIME.postEveryMs]);
  expect(queue.join('C2')).toBe(0);
});

test('a queue that is over is forgotten', () => {
  const { queue, clock } = stage();
  queue.taken('C1', 5_000);
  clock.now += 5_000;
  expect(queue.join('C1')).toBe(0);
});

test('a turn that comes before others that are known does not shorten the queue', () => {
  const { queue } = stage();
  queue.taken('C1', 9_000);
  queue.taken('C1', 3_000);
  expect(queue.join('C1')).toBe(10_000);
});

test('leaving the queue frees a turn', () => {
  const { queue } = stage();
  queue.taken('C1', 9_000);
  expect(queue.join('C1')).toBe(10_000);
  queue.leave('C1');
  expect(queue.join('C1')).toBe(10_000);
});
