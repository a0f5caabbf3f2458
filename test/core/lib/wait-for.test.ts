import { expect, it } from 'vitest';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { waitFor } from '../../../src/core/lib/wait-for.ts';

const never = new Promise<never>(() => {});

it('returns the result or the error of the work', async () => {
  expect(await waitFor(Promise.resolve(1), 'ask')).toBe(1);
  expect(
    await waitFor(Promise.resolve(1), 'ask', { deadlineMs: 1_000, timers: systemTimers }),
  ).toBe(1);
  const failure = new Error('no');
  await expect(
    waitFor(Promise.reject(failure), 'ask', { deadlineMs: 1_000, timers: systemTimers }),
  ).rejects.toBe(failure);
});

it('gives up at the deadline', async () => {
  await expect(
    waitFor(never, 'ask', { deadlineMs: 5, timers: systemTimers }),
  ).rejects.toMatchObject({
    name: 'RemoteFailure',
    class: 'ambiguous',
    code: 'timeout',
  });
});

it('gives up when its signal fires or had already fired', async () => {
  const later = new AbortController();
  const waiting = waitFor(never, 'ask', { signal: later.signal });
  later.abort();
  for (const given of [waiting, waitFor(never, 'ask', { signal: AbortSignal.abort() })]) {
    await expect(given).rejects.toMatchObject({ class: 'ambiguous', code: 'aborted' });
  }
});
