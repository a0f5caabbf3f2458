import { expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { duePost, nameInMetadata, type Post, type PostStep } from '../../../src/core/posts/post.ts';
import type { PostingResult } from '../../../src/core/posts/post-calls.ts';
import { applyPosting, repost, type TryUntil } from '../../../src/core/posts/post-transitions.ts';

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
    const post = afterTries(failure, 50);
    expect(post).not.toHaveProperty('failed');
    expect(duePost(post, NOW)).toBeGreaterThan(NOW);
  },
);

it('a rate limit is not a failed try', () => {
  expect(afterTries(limited, 3)).not.toHaveProperty('tries');
});

it('an opened conversation forgets its failed tries', () => {
  const step = { kind: 'open', plannedAt: NOW } as const;
  const opened = { kind: 'opened', channel: 'D0ANA' } as const;
  const post = applyPosting(afterTries(silent, 3), step, opened, 'refused', TRUE_TIME, NOW);
  expect(post).toEqual({ name: 'outcome-requester', channel: 'D0ANA' });
});

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

it('a post with an unclear answer is searched for, and posted again only after its call has ended', () => {
  const attempt = { plannedAt: NOW, mustEndBy: NOW + 7_000 };
  const begun: Post = { name: 'message', channel: 'C1', slot: true, attempt };
  const posting = { kind: 'post', plannedAt: NOW } as const;
  const failed = { kind: 'failed', failure: silent } as const;
  const unclear = applyPosting(begun, posting, failed, 'taken', TRUE_TIME, NOW);
  expect(duePost(unclear, NOW)).toBe('find');
  const quietAt = NOW + 7_000 + TRUE_TIME.quietMs;
  const missing = (plannedAt: number) => {
    const step = { kind: 'find', plannedAt } as const;
    return applyPosting(unclear, step, { kind: 'not-found' }, 'taken', TRUE_TIME, plannedAt);
  };
  const early = missing(quietAt - 1);
  expect(duePost(early, quietAt - 1)).toBe(quietAt);
  expect(duePost(early, quietAt)).toBe('find');
  expect(duePost(missing(quietAt), quietAt)).toBe('post');
});

it.each<PostingResult>([
  { kind: 'slot', waitMs: 0 },
  { kind: 'posted', channel: 'C1', ts: '2.2' },
  { kind: 'not-found' },
  { kind: 'failed', failure: silent },
])('a post that is known stays as it is: %j', (result) => {
  const known: Post = { name: 'message', channel: 'C1', ts: '1.1' };
  const step = { kind: 'find', plannedAt: NOW } as const;
  expect(applyPosting(known, step, result, 'taken', TRUE_TIME, NOW)).toBe(known);
});

/** Searched for until it is given up; the waits, in seconds. */
function searchFailing(post: Post, failure: FailureFacts, times: number) {
  let present = post;
  const waits: number[] = [];
  for (let searches = 0; searches < times && present.soughtAt === undefined; searches += 1) {
    const step = { kind: 'find', plannedAt: NOW } as const;
    const result = { kind: 'failed', failure } as const;
    present = applyPosting(present, step, result, 'taken', TRUE_TIME, NOW);
    const { soughtAt, notBefore = NOW } = present;
    if (soughtAt === undefined) waits.push((notBefore - NOW) / 1_000);
  }
  return { waits, present };
}

it('a post that the store may have lost is searched for about a minute', () => {
  const lost: Post = { name: 'message', channel: 'C1' };
  const { waits, present } = searchFailing(lost, silent, 20);
  expect(waits).toEqual([0.5, 1, 2, 4, 8, 16, 32]);
  expect(present).toMatchObject({ soughtAt: NOW });
  expect(present).not.toHaveProperty('seeks');
  const { waits: busy, present: still } = searchFailing(lost, limited, 20);
  expect(new Set(busy)).toEqual(new Set([2]));
  expect(still).not.toHaveProperty('soughtAt');
});

it('the search for a post that was begun does not end, and a refused search is no failed try', () => {
  const attempt = { plannedAt: NOW - 60_000, mustEndBy: NOW - 50_000 };
  const begun: Post = { name: 'message', channel: 'C1', attempt };
  expect(searchFailing(begun, silent, 20).present).toMatchObject({ attempt, seeks: 20 });
  expect(searchFailing(begun, refused, 1).present).toEqual({ name: 'message', channel: 'C1' });
});

it('a message that is posted again has another name in its metadata', () => {
  const post: Post = { name: 'message', channel: 'C1', ts: '1.1' };
  expect(nameInMetadata(post)).toBe('message');
  const again = repost(post);
  expect(again).toEqual({ name: 'message', channel: 'C1', gone: ['1.1'] });
  expect(nameInMetadata(again)).toBe('message-again-1');
  expect(nameInMetadata(repost({ ...again, ts: '2.2' }))).toBe('message-again-2');
});

it('a post by an attempt that the store lost is searched for, and no other', () => {
  const step = { kind: 'post', plannedAt: NOW } as const;
  const posted = { kind: 'posted', channel: 'C1', ts: '1.1' } as const;
  const forgotten: Post = { name: 'message', channel: 'C1', slot: true, notBefore: NOW };
  const found = applyPosting(forgotten, step, posted, 'week', TRUE_TIME, NOW);
  expect(duePost(found, NOW)).toBe('find');
  const open = { ...forgotten, attempt: { plannedAt: NOW + 1, mustEndBy: NOW + 2 } };
  expect(applyPosting(open, step, posted, 'week', TRUE_TIME, NOW)).toBe(open);
  const failing = (post: Post, failure: FailureFacts) =>
    applyPosting(post, step, { kind: 'failed', failure }, 'week', TRUE_TIME, NOW);
  expect(duePost(failing(forgotten, silent), NOW)).toBe('find');
  for (const post of [forgotten, open]) expect(failing(post, refused)).toBe(post);
});

it('a direct message by an attempt that the store lost is searched for once its conversation is open again', () => {
  const forgotten: Post = { name: 'result' };
  const apply = (post: Post, kind: PostStep, result: PostingResult) =>
    applyPosting(post, { kind, plannedAt: NOW }, result, 'week', TRUE_TIME, NOW);
  const late = apply(forgotten, 'post', { kind: 'posted', channel: 'D1', ts: '1.1' });
  expect(duePost(late, NOW)).toBe('open');
  const away = apply(late, 'open', { kind: 'failed', failure: silent });
  expect(duePost(away, away.notBefore ?? NOW)).toBe('open');
  const opened = apply(away, 'open', { kind: 'opened', channel: 'D1' });
  expect(duePost(opened, NOW)).toBe('find');
});

it('a late answer that arrives twice says in which conversation the post is', () => {
  const step = { kind: 'post', plannedAt: NOW } as const;
  const posted = { kind: 'posted', channel: 'D1', ts: '1.1' } as const;
  const apply = (post: Post) => applyPosting(post, step, posted, 'week', TRUE_TIME, NOW);
  expect(apply(apply({ name: 'result' }))).toEqual({ name: 'result', channel: 'D1', ts: '1.1' });
});

const WEEK = 7 * 86_400_000;

it.each<[TryUntil, string, number | null, number | null]>([
  ['taken', 'not_in_channel', NOW + 60_000, NOW + WEEK + 1 + 120_000],
  ['taken', 'user_disabled', NOW + 60_000, NOW + WEEK + 1 + 120_000],
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
  expect(refuse(once, NOW + WEEK)).not.toHaveProperty('failed');
  expect(duePost(refuse(once, NOW + WEEK + 1), NOW + WEEK + 1)).toBe(afterWeekAt);
});
