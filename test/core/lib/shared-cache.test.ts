import { expect, it } from 'vitest';
import { createSharedCache } from '../../../src/core/lib/shared-cache.ts';

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
  const asking = (answer: string) => async () => {
    asked += 1;
    return answer;
  };
  const get = (key: string, answer = key) => cache.get(key, asking(answer));
  const getSince = (since: number, answer: string) => cache.getSince(since, 'a', asking(answer));
  return { cache, pass, get, getSince, now: () => elapsedMs, asked: () => asked };
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

it('keeps an answer as long as the answer itself says', async () => {
  const { get, pass } = setUp();
  expect(await get('a', 'short')).toBe('short');
  pass(10);
  expect(await get('a', 'new')).toBe('new');
});

it('with a start time, shares only answers asked for after it', async () => {
  const { cache, get, getSince, pass, now, asked } = setUp();
  let answer: (value: string) => void = () => {};
  const before = cache.get('a', () => new Promise((resolve) => (answer = resolve)));
  const since = now();
  pass(1);
  // What was under way already may tell what was so before.
  expect(await getSince(since, 'new')).toBe('new');
  answer('old');
  expect(await before).toBe('old');
  expect(await getSince(since, 'newer')).toBe('new');
  expect(await get('a', 'newer')).toBe('new');
  expect(asked()).toBe(1);
  expect(await getSince(now(), 'newer')).toBe('newer');
  expect(await get('a')).toBe('newer');
});

it('keeps the last answer available while a new one is loading and after that fails', async () => {
  const { cache, get, pass, now } = setUp();
  expect(cache.last('a')).toBeUndefined();
  await get('a', 'one');
  pass(50);
  const failing = cache.getSince(now(), 'a', () => Promise.reject(new Error('no')));
  expect(cache.last('a')).toBe('one');
  await expect(failing).rejects.toThrow('no');
  expect(cache.last('a')).toBe('one');
  expect(await get('a', 'two')).toBe('one');
  expect(cache.last('a', 51)).toBe('one');
  expect(cache.last('a', 50)).toBeUndefined();
  pass(1_000);
  expect(cache.last('a')).toBe('one');
});

it('counts the age of an answer from its request', async () => {
  const { cache, pass, get } = setUp();
  let answer: (value: string) => void = () => {};
  const slow = cache.get('a', () => new Promise((resolve) => (answer = resolve)));
  pass(99);
  answer('slow');
  expect(await slow).toBe('slow');
  pass(1);
  expect(await get('a', 'new')).toBe('new');
});

it('asks once for all who come in the meantime, however long it takes', async () => {
  const { cache, pass } = setUp();
  let answer: (value: string) => void = () => {};
  const ask = () => new Promise<string>((resolve) => (answer = resolve));
  const first = cache.get('a', ask);
  pass(1_000);
  const second = cache.get('a', () => Promise.reject(new Error('asked twice')));
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

it('drops the answer that was requested longest ago when it is full', async () => {
  const { get, asked } = setUp(2);
  for (const key of ['a', 'b', 'c', 'b', 'c']) expect(await get(key)).toBe(key);
  expect(asked()).toBe(3);
  await get('a');
  expect(asked()).toBe(4);
});
