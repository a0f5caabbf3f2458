import { expect, it } from 'vitest';
import type { FailureFacts } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Post } from '../../../src/core/posts/post.ts';
import { applyPosting } from '../../../src/core/posts/post-transitions.ts';

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

it.each([silent, limited])('opens a conversation however long Slack has trouble: %j', (failure) => {
  expect(afterTries(failure, 50)).not.toHaveProperty('failed');
});

it('gives a conversation up at once that is not needed and that Slack refuses', () => {
  expect(afterTries(refused, 1)).toMatchObject({ failed: 'invalid_auth' });
});

it('searches ever more rarely for a post while the search fails, and anew for the next one', () => {
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
