import { expect, it } from 'vitest';
import { createSharedCache } from '../../src/lib/shared-cache.ts';

function setUp(maxEntries = 10) {
  let elapsedMs = 1_000;
  const cache = createSharedCache<string>({
    lifetimeMs: (value) => (value === 'short' ? 10 : 100),
    maxEntries,
    clock: { monotonic: () => elapsedMs },
  });
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  let asked = 0;
  const get = (key: string, answer = key, maxAgeMs?: number) =>
    cache.get(
      key,
      async () => {
        asked += 1;
        return answer;
      },
      maxAgeMs,
    );
  return { cache, pass, get, asked: () => asked };
}

it('keeps an answer for its lifetime', async () => {
  const { get, pass, asked } = setUp();
  expect(await get('a')).toBe('a');
  pass(99);
  expect(await get('a', 'new')).toBe('a');
  pass(1);
  expect(await get('a', 'new')).toBe('new');
  expect(asked()).toBe(2);
});

it('keeps an answer as long as it says itself', async () => {
  const { get, pass } = setUp();
  expect(await get('a', 'short')).toBe('short');
  pass(10);
  expect(await get('a', 'new')).toBe('new');
});

it('asks again for who wants a younger answer', async () => {
  const { get, pass } = setUp();
  await get('a', 'old');
  pass(50);
  expect(await get('a', 'new', 51)).toBe('old');
  expect(await get('a', 'new', 50)).toBe('new');
});

it('counts the age from the question', async () => {
  const { cache, pass, get } = setUp();
  let answer: (value: string) => void = () => {};
  const slow = cache.get('a', () => new Promise((resolve) => (answer = resolve)));
  pass(99);
  answer('slow');
  expect(await slow).toBe('slow');
  pass(1);
  expect(await get('a', 'new')).toBe('new');
});

it('asks once for all who come meanwhile, however long it takes', async () => {
  const { cache, pass } = setUp();
  let answer: (value: string) => void = () => {};
  const ask = () => new Promise<string>((resolve) => (answer = resolve));
  const first = cache.get('a', ask);
  pass(1_000);
  const second = cache.get('a', () => Promise.reject(new Error('asked twice')), 1);
  answer('one');
  expect(await Promise.all([first, second])).toEqual(['one', 'one']);
});

it('shares a failure and forgets it', async () => {
  const { cache, get } = setUp();
  const failure = new Error('no');
  const failing = [1, 2].map(() => cache.get('a', () => Promise.reject(failure)));
  for (const call of failing) await expect(call).rejects.toBe(failure);
  expect(await get('a', 'yes')).toBe('yes');
});

it('lets the answer go that was asked for longest ago', async () => {
  const { get, asked } = setUp(2);
  for (const key of ['a', 'b', 'c', 'b', 'c']) expect(await get(key)).toBe(key);
  expect(asked()).toBe(3);
  await get('a');
  expect(asked()).toBe(4);
});
