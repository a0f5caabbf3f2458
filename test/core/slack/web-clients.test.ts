import { expect, it } from 'vitest';
import * as z from 'zod';
import { type Clock, systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers, type Timers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { callSlack } from '../../../src/core/slack/call-slack.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { heldDeadline } from '../http/held-deadline.ts';
import { type FakeSlack, startFakeSlack, status } from './fake-slack.ts';
import { createLogSink, type LogSink } from './log-sink.ts';

interface Needs {
  readonly sink?: LogSink;
  readonly clock?: Clock;
  readonly timers?: Timers;
}

function clientsOf(slack: FakeSlack, { sink = createLogSink(), ...needs }: Needs = {}) {
  return createWebClients(
    { botToken: 'xoxb-secret', apiUrl: slack.apiUrl, logger: sink.logger },
    { clock: systemClock, timers: systemTimers, timing: TRUE_TIME, ...needs },
  );
}

it('sends the token in a header and never in the body', async () => {
  await using slack = await startFakeSlack();
  await callSlack(clientsOf(slack).lookup, 'users.info', { user: 'U1' }, z.unknown());
  expect(slack.calls[0]).toMatchObject({
    method: 'users.info',
    body: { user: 'U1' },
    headers: { authorization: 'Bearer xoxb-secret' },
  });
  expect(JSON.stringify(slack.calls[0]?.body)).not.toContain('xoxb-secret');
});

it('sends neither what is undefined nor what is null', async () => {
  await using slack = await startFakeSlack();
  const parameters = { blocks: [{ type: 'divider' }], reply_broadcast: true, cursor: undefined };
  const { lookup } = clientsOf(slack);
  await callSlack(lookup, 'chat.postMessage', { ...parameters, thread_ts: null }, z.unknown());
  expect(slack.calls[0]?.body).toEqual({
    blocks: [{ type: 'divider' }],
    reply_broadcast: 'true',
  });
});

it('a rate limit on one method does not hold up other methods, in any client', async () => {
  await using slack = await startFakeSlack(({ method }) =>
    // Longer than a test may take.
    method === 'chat.postMessage' ? status(429, '', { 'retry-after': '300' }) : { ok: true },
  );
  const { outbox, interactive } = clientsOf(slack);
  const post = callSlack(outbox, 'chat.postMessage', {}, z.unknown());
  await expect(post).rejects.toMatchObject({ code: 'ratelimited', retryAfterMs: 300_000 });
  await callSlack(interactive, 'views.open', {}, z.unknown());
  await callSlack(outbox, 'chat.update', {}, z.unknown());
  expect(slack.calls.map((call) => call.method)).toEqual([
    'chat.postMessage',
    'views.open',
    'chat.update',
  ]);
});

it('does not call a limited method before the time Slack gave, from any client', async () => {
  const limited = status(429, '', { 'retry-after': '30' });
  const answers = [limited, { ok: true }, { ok: true }];
  await using slack = await startFakeSlack(() => answers.shift());
  let now = 0;
  const clock = { now: () => 0, monotonic: () => now };
  const { outbox, lookup } = clientsOf(slack, { clock });
  const ask = (client: typeof lookup) => callSlack(client, 'users.info', {}, z.unknown());
  await expect(ask(lookup)).rejects.toMatchObject({ status: 429, retryAfterMs: 30_000 });
  now = 29_000;
  await expect(ask(outbox)).rejects.toMatchObject({
    class: 'refused',
    status: 429,
    retryAfterMs: 1_000,
  });
  await callSlack(lookup, 'usergroups.users.list', {}, z.unknown());
  now = 30_000;
  await ask(lookup);
  expect(slack.calls.map(({ method }) => method)).toEqual([
    'users.info',
    'usergroups.users.list',
    'users.info',
  ]);
});

it('keeps posting to other channels after a rate limit in one', async () => {
  const answers = [status(429, '', { 'retry-after': '30' }), { ok: true }];
  await using slack = await startFakeSlack(() => answers.shift());
  const { outbox } = clientsOf(slack);
  const post = (channel: string) => callSlack(outbox, 'chat.postMessage', { channel }, z.unknown());
  await expect(post('C1')).rejects.toMatchObject({ status: 429 });
  await post('C2');
});

it('uses one connection for calls that follow each other', async () => {
  await using slack = await startFakeSlack();
  const { outbox, interactive } = clientsOf(slack);
  for (const client of [outbox, interactive, outbox]) {
    await callSlack(client, 'chat.update', {}, z.unknown());
  }
  expect(slack.calls).toHaveLength(3);
  expect(slack.connections()).toBe(1);
});

it('ends a call of the interactive client after 2 s', async () => {
  const { system, end } = heldDeadline(2_000);
  await using slack = await startFakeSlack(() => end);
  const { interactive } = clientsOf(slack, { timers: system.timers });
  const call = callSlack(interactive, 'views.open', {}, z.unknown());
  await expect(call).rejects.toMatchObject({ class: 'ambiguous', code: 'timeout' });
});

it('reports an ambiguous result as soon as the signal fires', async () => {
  const abort = new AbortController();
  await using slack = await startFakeSlack(() => {
    abort.abort();
    return () => {};
  });
  const call = callSlack(clientsOf(slack).outbox, 'chat.update', {}, z.unknown(), abort.signal);
  await expect(call).rejects.toMatchObject({ class: 'ambiguous', code: 'aborted' });
});

it('logs neither what is sent nor the token when Slack warns', async () => {
  await using slack = await startFakeSlack(() => ({
    ok: true,
    response_metadata: { warnings: ['xoxb-secret is old'], messages: ['[WARN] mind this'] },
  }));
  const sink = createLogSink();
  const { outbox } = clientsOf(slack, { sink });
  await callSlack(outbox, 'chat.postMessage', { text: 'private words' }, z.unknown());
  expect(sink.lines.map((line) => line.said)).toEqual(['[secret] is old', 'mind this']);
  expect(sink.text()).not.toContain('private words');
});

it('reads long texts', async () => {
  const text = `a ":" ${'\\'.repeat(10_000)}`.repeat(3);
  await using slack = await startFakeSlack(() => ({ ok: true, [text.slice(0, 500)]: text }));
  const answer = await callSlack(clientsOf(slack).outbox, 'chat.update', {}, z.looseObject({}));
  expect(answer).toMatchObject({ [text.slice(0, 500)]: text });
});

it('calls an answer of another form unreadable', async () => {
  await using slack = await startFakeSlack(() => ({ ok: true, ts: 5 }));
  const call = callSlack(
    clientsOf(slack).outbox,
    'chat.postMessage',
    {},
    z.object({ ts: z.string() }),
  );
  await expect(call).rejects.toMatchObject({ class: 'unreadable', code: 'unreadable_answer' });
});
