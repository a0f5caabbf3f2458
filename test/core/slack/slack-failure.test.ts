import { createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { callSlack } from '../../../src/core/slack/call-slack.ts';
import { slackFailure } from '../../../src/core/slack/slack-failure.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { beginAnswer, heldDeadline } from '../http/held-deadline.ts';
import { type Answer, startFakeSlack, status } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

const TOKEN = 'xoxb-very-secret-token';
const SENT = 'what was sent';

/** Of a call of the interactive client. */
const deadline = heldDeadline(2_000);

async function failureAt(apiUrl: string): Promise<{ failure: RemoteFailure; logged: string }> {
  const sink = createLogSink();
  const { interactive } = createWebClients(
    { botToken: TOKEN, apiUrl, logger: sink.logger },
    { clock: systemClock, timers: deadline.system.timers, timing: TRUE_TIME },
  );
  const call = callSlack(
    interactive,
    'chat.postMessage',
    { channel: 'C1', text: SENT },
    z.unknown(),
  );
  const failure = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(failure instanceof RemoteFailure)) throw new Error(`no RemoteFailure: ${failure}`);
  return { failure, logged: sink.text() };
}

async function failureOf(answer: Answer) {
  await using slack = await startFakeSlack(answer);
  const seen = await failureAt(slack.apiUrl);
  expect(slack.calls).toHaveLength(1);
  return seen;
}

describe('a failed call of Slack', () => {
  it.each<[string, Answer, Partial<RemoteFailure['facts']>]>([
    [
      'a refusal is refused with its code',
      () => ({ ok: false, error: 'channel_not_found' }),
      { class: 'refused', code: 'channel_not_found', status: 200 },
    ],
    [
      'a token in place of a code is not taken for one',
      () => ({ ok: false, error: TOKEN }),
      { class: 'ambiguous', code: 'unreadable_answer', status: 200 },
    ],
    [
      'a token in its words is masked',
      () => ({ ok: false, error: 'missing_scope', needed: TOKEN }),
      { class: 'refused', code: 'missing_scope', detail: 'needs [token]' },
    ],
    [
      'a missing scope names the scope',
      () => ({ ok: false, error: 'missing_scope', needed: 'chat:write', provided: 'a,b' }),
      { class: 'refused', code: 'missing_scope', detail: 'needs chat:write' },
    ],
    [
      'faulty blocks name the place and not the value',
      () => ({
        ok: false,
        error: 'invalid_blocks',
        response_metadata: { messages: [`[ERROR] bad "${SENT}" [json-pointer:/blocks/3/text]`] },
      }),
      { class: 'refused', code: 'invalid_blocks', detail: '/blocks/3/text' },
    ],
    [
      'blocks that were judged name each place and not the value',
      () => ({
        ok: false,
        error: 'invalid_blocks',
        errors: [{ pointer: '/3/text', code: 'failed_constraint', message: `bad ${SENT}` }],
      }),
      { class: 'refused', code: 'invalid_blocks', detail: '/3/text' },
    ],
    [
      'a rate limit says when to come back',
      () => status(429, '', { 'retry-after': '7' }),
      { class: 'refused', code: 'ratelimited', status: 429, retryAfterMs: 7_000 },
    ],
    [
      'a rate limit of a day is capped',
      () => status(429, '', { 'retry-after': '86400' }),
      { class: 'refused', code: 'ratelimited', retryAfterMs: 300_000 },
    ],
    [
      'a rate limit that does not say when is one',
      () => status(429, '', { 'retry-after': 'soon' }),
      { class: 'refused', code: 'ratelimited', status: 429 },
    ],
    [
      'a rate limit told as an error is one',
      () => ({ ok: false, error: 'ratelimited' }),
      { class: 'refused', code: 'ratelimited', status: 429 },
    ],
    [
      'a rate limit told as an error says when to come back',
      () => status(200, '{"ok":false,"error":"ratelimited"}', { 'retry-after': '7' }),
      { class: 'refused', code: 'ratelimited', status: 429, retryAfterMs: 7_000 },
    ],
    ...['fatal_error', 'internal_error', 'service_unavailable', 'request_timeout'].map(
      (error): [string, Answer, Partial<RemoteFailure['facts']>] => [
        `${error} may have happened`,
        () => ({ ok: false, error }),
        { class: 'ambiguous', code: error },
      ],
    ),
    [
      'a server error may have happened',
      () => status(503, 'down'),
      { class: 'ambiguous', code: 'http_503', status: 503 },
    ],
    [
      'a client error has not happened',
      () => status(403, 'no'),
      { class: 'refused', code: 'http_403', status: 403 },
    ],
    [
      'a client error that is cut in the middle has not happened',
      () => (response) => {
        response.writeHead(403, { 'content-length': '100' });
        response.write('no', () => response.socket?.destroy());
      },
      { class: 'refused', code: 'http_403', status: 403 },
    ],
    ['a 408 may have happened', () => status(408), { class: 'ambiguous', code: 'http_408' }],
    [
      'a redirect is not followed and may have happened',
      () => status(302, '', { location: 'https://elsewhere.example/' }),
      { class: 'ambiguous', code: 'http_302' },
    ],
    [
      'a page in place of JSON may have happened',
      () => status(200, `<html>${SENT}</html>`),
      { class: 'ambiguous', code: 'unreadable_answer' },
    ],
    [
      'JSON of another form may have happened',
      () => status(200, 'null'),
      { class: 'ambiguous', code: 'unreadable_answer' },
    ],
    [
      'packed JSON may have happened',
      () => (response) => {
        response.writeHead(200, { 'content-type': 'application/gzip' });
        response.end(gzipSync('{"ok":true}'));
      },
      { class: 'ambiguous', code: 'unreadable_answer' },
    ],
    [
      'an answer that is neither ok nor not may have happened',
      () => ({ ok: 'perhaps' }),
      { class: 'ambiguous', code: 'unreadable_answer' },
    ],
    ...[
      `"${'a'.repeat(300_000)}"`,
      `"${'\\"'.repeat(100_000)}"`,
      `"${'\\\\'.repeat(100_000)}"`,
    ].map((name): [string, Answer, Partial<RemoteFailure['facts']>] => [
      `a name that is as long as ${name.slice(0, 5)}… may have happened`,
      () => status(200, `{"ok":true,"message":{"text":"\\\\",${name} :1}}`),
      { class: 'ambiguous', code: 'unreadable_answer', status: 200 },
    ]),
    [
      'a connection cut after the request may have happened',
      () => (response) => response.socket?.destroy(),
      { class: 'ambiguous', code: 'connection_lost' },
    ],
    [
      'an answer cut in the middle may have happened',
      () => (response) => {
        response.writeHead(200, { 'content-length': '100' });
        response.write('{"ok":', () => response.socket?.destroy());
      },
      { class: 'ambiguous', code: 'connection_lost' },
    ],
    ['silence may have happened', () => deadline.end, { class: 'ambiguous', code: 'timeout' }],
    [
      'an answer that never ends may have happened',
      () => (response) => beginAnswer(response, '{"ok":', deadline.end),
      { class: 'ambiguous', code: 'timeout' },
    ],
  ])('%s', async (_, answer, facts) => {
    const { failure, logged } = await failureOf(answer);
    expect(failure.facts).toMatchObject(facts);
    const shown = `${failure.message} ${failure.stack} ${JSON.stringify(failure.facts)} ${logged}`;
    expect(shown).not.toContain(TOKEN);
    expect(shown).not.toContain(SENT);
    expect(failure.cause).toBeUndefined();
  });
});

it('a call cut off on a reused connection may have been carried out', async () => {
  await using slack = await startFakeSlack(({ method }) =>
    method === 'chat.postMessage' ? (response) => response.socket?.destroy() : { ok: true },
  );
  const { interactive } = createWebClients(
    {
      botToken: TOKEN,
      apiUrl: slack.apiUrl,
      logger: createLogSink().logger,
    },
    { clock: systemClock, timers: systemTimers, timing: TRUE_TIME },
  );
  await callSlack(interactive, 'auth.test', {}, z.unknown());
  const post = callSlack(interactive, 'chat.postMessage', {}, z.unknown());
  await expect(post).rejects.toMatchObject({ class: 'ambiguous', code: 'connection_lost' });
  expect(slack.connections()).toBe(1);
});

describe('a call that never reached Slack', () => {
  it('is not sent when the connection is refused', async () => {
    const slack = await startFakeSlack();
    await slack[Symbol.asyncDispose]();
    const { failure, logged } = await failureAt(slack.apiUrl);
    expect(failure.facts).toEqual({ class: 'not-sent', code: 'connection_refused' });
    expect(logged).toBe('[]');
  });

  it('is not sent when the host is unknown', async () => {
    const { failure } = await failureAt('http://nowhere.invalid/api/');
    expect(failure.facts).toEqual({ class: 'not-sent', code: 'unknown_host' });
  });

  it('is not sent when TLS cannot be established', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => {
      sockets.push(socket);
      deadline.end();
    });
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const { failure } = await failureAt(`https://127.0.0.1:${address.port}/api/`);
    expect(failure.facts).toEqual({ class: 'not-sent', code: 'connect_timeout' });
    for (const socket of sockets) socket.destroy();
    silent.close();
  });

  it('is not sent when its signal had already fired', async () => {
    await using slack = await startFakeSlack();
    const { interactive } = createWebClients(
      {
        botToken: TOKEN,
        apiUrl: slack.apiUrl,
        logger: createLogSink().logger,
      },
      { clock: systemClock, timers: systemTimers, timing: TRUE_TIME },
    );
    const signal = AbortSignal.abort();
    const call = callSlack(interactive, 'chat.postMessage', {}, z.unknown(), signal);
    await expect(call).rejects.toMatchObject({ class: 'not-sent', code: 'aborted' });
    expect(slack.calls).toEqual([]);
  });
});

describe('an error that is not from Slack', () => {
  it('is kept when it is a known failure', () => {
    const known = new RemoteFailure('a', { class: 'refused', code: 'b' });
    expect(slackFailure('c', known)).toBe(known);
  });

  it('counts as ambiguous otherwise', () => {
    expect(slackFailure('x', 'thrown').facts).toEqual({ class: 'ambiguous', code: 'unknown' });
  });
});
