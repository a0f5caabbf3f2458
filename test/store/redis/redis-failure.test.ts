import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { redisFailure } from '../../../src/store/redis/redis-failure.ts';

const redirected = (last: string) => `Too many Cluster redirections. Last error: ${last}`;

test.each([
  [new ReplyError('READONLY You can’t write'), 'unavailable'],
  [new ReplyError('CLUSTERDOWN The cluster is down'), 'unavailable'],
  [new ReplyError('WRONGTYPE of key s3cret'), 'unknown'],
  [new Error(redirected('ReplyError: MOVED 1 10.0.0.1:6379')), 'unavailable'],
  [new Error(redirected('ReplyError: TRYAGAIN Multiple keys')), 'unavailable'],
  [new Error(redirected('Error: Command timed out')), 'unknown'],
  [new Error('Connection is closed.'), 'unknown'],
])('%s leaves it %s', (error, code) => {
  const failure = redisFailure('save', error);
  expect(failure).toMatchObject({ code });
  expect(failure.message).not.toContain('s3cret');
});
