import { expect, test } from 'vitest';
import { createPause } from '../../../src/core/lib/pause.ts';

test('a pause ends by itself, and a shorter one does not cut it', () => {
  let now = 1_000;
  const pause = createPause({ monotonic: () => now });
  expect(pause.leftMs()).toBe(0);
  pause.set(500);
  pause.set(100);
  now += 400;
  expect(pause.leftMs()).toBe(100);
  now += 101;
  expect(pause.leftMs()).toBe(0);
});
