import { expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { duePost, type Post } from '../../../src/core/posts/post.ts';
import { applyPosting, type TryUntil } from '../../../src/core/posts/post-transitions.ts';

const NOW = 1_000_000;
const silent: FailureFacts = { class: 'ambiguous', code: 'timeout' };
const limited: FailureFacts = { class: 'refused', code: 'ratelimited', status: 429 };
const refused: FailureFacts = { class: 'refused', code: 'invalid_auth', status: 200 };

/** The post when opening its conversation has failed so often. */
function afterTries(failure: FailureFacts, times: number): Post {
  let post: Post = { name: 'outcome-requester' };
  for (let tries = 0; tries < times; tries += 1) {
    const step = { kind: 'open', plannedAt: NOW } as const;
    post = applyPosting(post, step, { kind: 'failed', failure }, 'refused', TRUE_TIME, NOW);
  }
  return post;
}

it.each([silent, limited])(
  'opening a conversation is tried again as long as Slack has trouble: %j',
  (failure) => {
    expect(afterTries(failure, 50)).not.toHaveProperty('failed');
  },
);

it('opening an optional conversation is given up at once when Slack refuses it', () => {
  expect(afterTries(refused, 1)).toMatchObject({ failed: 'invalid_auth' });
});

it('a failing search for a post is repeated less and less often, and starts quickly again for the next one', () => {
  const attempt = { plannedAt: NOW - 1, mustEndBy: NOW };
  const step = { kind: 'find', plannedAt: NOW + TRUE_TIME.quietMs } as const;
  const failed = { kind: 'failed', failure: silent } as const;
  let post: Post = { name: 'message', attempt };
  const waits = Array.from({ length: 7 }, () => {
    post = applyPosting(post, step, failed, 'taken', TRUE_TIME, NOW);
    return (post.notBefore ?? 0) - NOW;
  });
  expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60].map((seconds) => seconds * 1_000));
  const none = applyPosting(post, step, { kind: 'not-found' }, 'taken', TRUE_TIME, NOW);
  expect(none).toEqual({ name: 'message', tries: 1 });
});

it('a post by an attempt that the store lost is searched for, and no other', () => {
  const step = { kind: 'post', plannedAt: NOW } as const;
  const posted = { kind: 'posted', channel: 'C1', ts: '1.1' } as const;
  const forgotten: Post = { name: 'message', channel: 'C1', slot: true, notBefore: NOW };
  const found = applyPosting(forgotten, step, posted, 'week', TRUE_TIME, NOW);
  expect(duePost(found, NOW)).toBe('find');
  const open = { ...forgotten, attempt: { plannedAt: NOW + 1, mustEndBy: NOW + 2 } };
  expect(applyPosting(open, step, posted, 'week', TRUE_TIME, NOW)).toBe(open);
});

const WEEK = 7 * 86_400_000;

it.each<[TryUntil, string, number | null, number | null]>([
  ['taken', 'not_in_channel', NOW + 60_000, NOW + WEEK + 1 + 120_000],
  ['week', 'not_in_channel', NOW + 60_000, null],
  ['week', 'user_disabled', null, null],
  ['refused', 'not_in_channel', null, null],
])('a post is tried until %s when Slack refuses it as %s', (until, code, againAt, afterWeekAt) => {
  const refuse = (post: Post, now: number) => {
    const begun = { ...post, attempt: { plannedAt: now, mustEndBy: now } };
    const result = { kind: 'failed', failure: { ...refused, code } } as const;
    const step = { kind: 'post', plannedAt: now } as const;
    return applyPosting(begun, step, result, until, TRUE_TIME, now);
  };
  const once = refuse({ name: 'result', channel: 'D1', slot: true }, NOW);
  expect(duePost(once, NOW)).toBe(againAt);
  if (againAt === null) return;
  expect(duePost(refuse(once, NOW + WEEK + 1), NOW + WEEK + 1)).toBe(afterWeekAt);
});
