import { expect, test } from 'vitest';
import { createCallbacks } from '../../../src/core/http/callbacks.ts';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { CALLBACK_SECRET, startReceiver } from '../../support/webhook-receiver.ts';

const NEW_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const MESSAGE = { id: '0-abc-posted-1', body: '{"type":"approval.posted","data":{}}' };

function callbacksTo(url: string, secrets: readonly string[] = [CALLBACK_SECRET]) {
  const sources = [{ id: 'deploys', callback: { url, secrets } }, { id: 'others' }];
  const ends: string[] = [];
  const callbacks = createCallbacks({
    sources,
    clock: systemClock,
    timers: systemTimers,
    onEnded: (kind) => ends.push(kind),
  });
  return { ...callbacks, ends, [Symbol.asyncDispose]: () => callbacks.close() };
}

test('a receiver accepts a signature by either secret during a rotation', async () => {
  await using receiver = await startReceiver();
  await using callbacks = callbacksTo(receiver.url, [NEW_SECRET, CALLBACK_SECRET]);
  expect(await callbacks.send('deploys', MESSAGE)).toEqual({ kind: 'taken' });
  await using strange = callbacksTo(receiver.url, [NEW_SECRET]);
  expect(await strange.send('deploys', MESSAGE)).toMatchObject({
    kind: 'not-taken',
    failure: { code: 'http_401', status: 401 },
  });
});

test('only a 2xx status counts as accepted', async () => {
  await using receiver = await startReceiver();
  await using callbacks = callbacksTo(receiver.url);
  for (const status of [200, 202, 204, 299]) {
    receiver.answer(() => status);
    expect(await callbacks.send('deploys', MESSAGE)).toEqual({ kind: 'taken' });
  }
  for (const status of [400, 410, 500]) {
    receiver.answer(() => status);
    const failure = { code: `http_${status}`, status };
    expect(await callbacks.send('deploys', MESSAGE)).toMatchObject({ kind: 'not-taken', failure });
  }
  const before = receiver.received.length;
  receiver.answer(() => 'redirect');
  const redirected = await callbacks.send('deploys', MESSAGE);
  expect(redirected).toMatchObject({ kind: 'not-taken', failure: { status: 307 } });
  expect(receiver.received).toHaveLength(before + 1);
  const taken = Array.from({ length: 4 }, () => 'taken');
  expect(callbacks.ends).toEqual([...taken, ...Array.from({ length: 4 }, () => 'not-taken')]);
});

test('an unreachable receiver is a result, not an exception', async () => {
  const receiver = await startReceiver();
  await receiver[Symbol.asyncDispose]();
  await using callbacks = callbacksTo(receiver.url);
  const failure = { class: 'not-sent', code: 'connection_refused' };
  expect(await callbacks.send('deploys', MESSAGE)).toEqual({ kind: 'not-taken', failure });
});

test('a receiver that hangs holds 64 calls and no more, and closing waits for none of them', async () => {
  await using receiver = await startReceiver();
  const callbacks = callbacksTo(receiver.url);
  receiver.answer(() => 'hang');
  const calls = Array.from({ length: 64 }, () => callbacks.send('deploys', MESSAGE));
  expect(callbacks.send('deploys', MESSAGE)).toBe('busy');
  expect([callbacks.isWanted('others'), callbacks.send('others', MESSAGE)]).toEqual([
    false,
    'unwanted',
  ]);
  await callbacks.close();
  const aborted = { kind: 'not-taken', failure: { code: 'aborted' } };
  for (const end of await Promise.all(calls)) expect(end).toMatchObject(aborted);
});
