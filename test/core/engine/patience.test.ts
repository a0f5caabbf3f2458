import { expect, test } from 'vitest';
import { attemptAt, FRESH_MS, isOf } from '../../../src/core/engine/attempt.ts';
import { takeBudgetSlot } from '../../../src/core/engine/budget.ts';
import { callResult } from '../../../src/core/engine/call-result.ts';
import { patientWaitMs, tryAgain } from '../../../src/core/engine/patience.ts';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { RateLimiter } from '../../../src/core/store/store.ts';
import { fake } from '../../support/fake.ts';

/** When a call is made, whether it was, and when it is made again. */

const NOW = 1_790_000_000_000;

test('each wait is a factor longer than the last, up to a limit', () => {
  const waits = (factor?: number) =>
    [0, 1, 2, 9].map((tries) => patientWaitMs(tries, 500, 60_000, factor));
  expect(waits()).toEqual([500, 1_000, 2_000, 60_000]);
  expect(waits(3)).toEqual([500, 1_500, 4_500, 60_000]);
  // However many there were.
  expect(patientWaitMs(5_000, 1, 2_000_000)).toBe(2 ** 20);
});

const unclear: FailureFacts = { class: 'ambiguous', code: 'timeout' };
const refused: FailureFacts = { class: 'refused', code: 'is_archived', status: 200 };
const limited: FailureFacts = { class: 'refused', code: 'http_429', status: 429 };

test.each<[string, number | undefined, FailureFacts, number, number]>([
  ['an unclear failure soon', undefined, unclear, 1, 500],
  ['and less and less often', 3, unclear, 4, 4_000],
  ['but once a minute', 30, unclear, 31, 60_000],
  ['or when the other system says', 3, { ...unclear, retryAfterMs: 7_000 }, 4, 7_000],
  ['a refused call in a minute, for somebody to mend it', undefined, refused, 1, 60_000],
  ['and less and less often, four times an hour', 1, refused, 2, 120_000],
  ['at the least', 9, refused, 10, 900_000],
  ['a 429 when it says, and it is no failed try', 3, { ...limited, retryAfterMs: 9_000 }, 3, 9_000],
  ['a 429 that does not say after the usual time', undefined, limited, 0, 2_000],
])('what failed is tried again: %s', (_what, before, failure, tries, waitMs) => {
  expect(tryAgain(before, failure, TRUE_TIME, NOW)).toEqual({ tries, notBefore: NOW + waitMs });
});

test('a failed call of another system is a result, and a mistake of our own is thrown', async () => {
  expect(await callResult(Promise.resolve('answer'))).toBe('answer');
  const failure = new RemoteFailure('chat.postMessage', unclear);
  expect(await callResult(Promise.reject(failure))).toEqual({ kind: 'failed', failure: unclear });
  await expect(callResult(Promise.reject(new TypeError('ours')))).rejects.toThrow('ours');
});

test('the note of an attempt says by when its call has ended, and belongs to one step', () => {
  const attempt = attemptAt({ plannedAt: NOW }, TRUE_TIME, NOW + 5);
  const mustEndBy = NOW + 5 + FRESH_MS + TRUE_TIME.stepMs;
  expect(attempt).toEqual({ plannedAt: NOW, mustEndBy });
  expect(isOf({ plannedAt: NOW }, attempt)).toBe(true);
  expect(isOf({ plannedAt: NOW + 1 }, attempt)).toBe(false);
  expect(isOf({ plannedAt: NOW }, undefined)).toBe(false);
});

test.each([
  [240, { intervalMs: 250, burst: 60 }],
  [2, { intervalMs: 30_000, burst: 1 }],
])('of %i calls a minute, a quarter may be made at once', async (perMinute, rate) => {
  const asked: unknown[] = [];
  const store = fake<RateLimiter>({
    async pace(name, of) {
      asked.push([name, of]);
      return 120;
    },
  });
  expect(await takeBudgetSlot(store, perMinute)).toBe(120);
  // The name is stored: another one would be another budget beside that of an earlier version.
  expect(asked).toEqual([['polls', rate]]);
});
