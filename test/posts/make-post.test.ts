import { expect, it } from 'vitest';
import { RemoteFailure } from '../../src/lib/failure.ts';
import { TRUE_TIME } from '../../src/lib/timing.ts';
import { findPosted, makePost, type PostNeeds } from '../../src/posts/make-post.ts';
import type { Outbox } from '../../src/slack/outbox.ts';
import { type RateLimiter, StoreError } from '../../src/store/store.ts';
import { fake } from '../support/fake.ts';

it('knows that Slack took no post, though the store could not let the channel rest', async () => {
  const limited = { class: 'refused', code: 'ratelimited', status: 429, retryAfterMs: 0 } as const;
  const pauses: number[] = [];
  const needs: PostNeeds = {
    timing: TRUE_TIME,
    outbox: fake<Outbox>({
      post: () => Promise.reject(new RemoteFailure('chat.postMessage', limited)),
    }),
    store: fake<RateLimiter>({
      pause(_, forMs) {
        pauses.push(forMs);
        return Promise.reject(new StoreError('unavailable', 'pause: not connected to Redis'));
      },
    }),
  };
  const metadata = { record: '0-a', post: 'message' };
  const result = await makePost(needs, { channel: 'C1', text: 'Deploy?', blocks: [], metadata });
  expect(result).toEqual({ kind: 'failed', failure: limited });
  expect(pauses).toEqual([0]);
});

it('tells a post that a search found, one that is not there, and a search that failed', async () => {
  const busy = { class: 'ambiguous', code: 'timeout' } as const;
  const search = { channel: 'C1', sinceAt: 0, matches: { record: '0-a', post: 'message' } };
  const found = (findByMetadata: Outbox['findByMetadata']) =>
    findPosted(fake<Outbox>({ findByMetadata }), search);
  expect(await found(async () => '1.1')).toEqual({ kind: 'posted', channel: 'C1', ts: '1.1' });
  expect(await found(async () => undefined)).toEqual({ kind: 'not-found' });
  const failing = async () => Promise.reject(new RemoteFailure('conversations.history', busy));
  expect(await found(failing)).toEqual({ kind: 'failed', failure: busy });
});
