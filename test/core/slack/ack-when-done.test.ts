import { expect, test } from 'vitest';
import { ackWhenDone } from '../../../src/core/slack/ack-when-done.ts';
import { withResolvers } from '../../support/with-resolvers.ts';

/** What happens, in order; Slack's patience ends when the test says so. */
function acknowledging(done: Promise<unknown>) {
  const seen: string[] = [];
  const late = withResolvers();
  const waited: number[] = [];
  const sleep = (ms: number) => {
    waited.push(ms);
    return late.promise;
  };
  const ended = ackWhenDone({ sleep }, async () => void seen.push('acknowledged'), done).then(
    (result) => seen.push(`ends with ${result}`),
    (error) => seen.push(`fails with ${error.message}`),
  );
  return { seen, late, waited, ended };
}

test('nothing is acknowledged before it is done', async () => {
  const storing = withResolvers();
  const { seen, ended } = acknowledging(
    storing.promise.then(() => {
      seen.push('stored');
      return 'an answer';
    }),
  );
  await new Promise(setImmediate);
  expect(seen).toEqual([]);
  storing.resolve();
  await ended;
  expect(seen).toEqual(['stored', 'acknowledged', 'ends with an answer']);
});

test('what takes long is acknowledged while Slack still waits, once', async () => {
  const storing = withResolvers();
  const { seen, late, waited, ended } = acknowledging(storing.promise.then(() => 'an answer'));
  expect(waited).toEqual([2_000]);
  late.resolve();
  await new Promise(setImmediate);
  expect(seen).toEqual(['acknowledged']);
  storing.resolve();
  await ended;
  expect(seen).toEqual(['acknowledged', 'ends with an answer']);
});

test('what fails in time is left to whoever can say so in the acknowledgement', async () => {
  const { seen, late, ended } = acknowledging(Promise.reject(new Error('a fault')));
  await ended;
  late.resolve();
  await new Promise(setImmediate);
  expect(seen).toEqual(['fails with a fault']);
});
