import { ReplyError } from 'ioredis';
import { expect, test } from 'vitest';
import { redisFailure } from '../../../../src/core/store/redis/redis-failure.ts';

const redirected = (last: string) => `Too many Cluster redirections. Last error: ${last}`;

/** As Redis answers up to 6.2. */
const inScript = (answer: string) =>
  `ERR Error running script (call to f_1b6bf4a9): @user_script:140: @user_script: 140: ${answer}`;

test.each([
  [new ReplyError('READONLY You can’t write'), 'unavailable'],
  [new ReplyError('CLUSTERDOWN The cluster is down'), 'unavailable'],
  [new ReplyError('WRONGTYPE of key s3cret'), 'unknown'],
  [
    new ReplyError(inScript("-OOM command not allowed when used memory > 'maxmemory'.")),
    'unavailable',
  ],
  [new ReplyError(inScript('-MISCONF Errors writing to the AOF file: s3cret')), 'unavailable'],
  [
    new ReplyError(inScript("-READONLY You can't write against a read only replica.")),
    'unavailable',
  ],
  [new ReplyError(inScript('-NOREPLICAS Not enough good replicas to write.')), 'unavailable'],
  [new ReplyError(inScript('Wrong number of args: s3cret -OOM x')), 'unknown'],
  [new Error(redirected('ReplyError: MOVED 1 10.0.0.1:6379')), 'unavailable'],
  [new Error(redirected('ReplyError: TRYAGAIN Multiple keys')), 'unavailable'],
  [new Error(redirected('Error: Command timed out')), 'unknown'],
  [new Error('Connection is closed.'), 'unknown'],
])('%s makes the result %s', (error, code) => {
  const failure = redisFailure('save', error);
  expect(failure).toMatchObject({ code });
  expect(failure.message).not.toContain('s3cret');
});

test.each([
  [
    "OOM command not allowed when used memory > 'maxmemory'.",
    'save: Redis answered OOM: its memory is full',
  ],
  [
    inScript("-OOM command not allowed when used memory > 'maxmemory'."),
    'save: Redis answered OOM: its memory is full',
  ],
  [
    'MISCONF Errors writing to the AOF file: No space left on device',
    'save: Redis answered MISCONF: its disk is full, or at its limit',
  ],
  [
    inScript('-MISCONF Errors writing to the AOF file: No space left on device'),
    'save: Redis answered MISCONF: its disk is full, or at its limit',
  ],
  [
    'MISCONF Redis is configured to save RDB snapshots, but is currently unable to persist to disk.',
    'save: Redis answered MISCONF: it cannot save to its disk',
  ],
  ["READONLY You can't write against a read only replica.", 'save: Redis answered READONLY'],
  ['ERR No space left on device', 'save: Redis answered ERR'],
])('%s: what Redis is out of is said', (answer, message) => {
  expect(redisFailure('save', new ReplyError(answer)).message).toBe(message);
});

test.each([
  ["NOPERM this user has no permissions to run the 'time' command", '+time'],
  ["NOPERM User few has no permissions to run the 'config|get' command", '+config|get'],
  ["NOPERM No permissions to access a key: 's3cret'", '~gatepost:*'],
])('%s: the missing rule is named', (answer, rule) => {
  expect(redisFailure('store-time', new ReplyError(answer)).message).toBe(
    `store-time: Redis answered NOPERM: the user of REDIS_URL needs the ACL rule ${rule}`,
  );
});
