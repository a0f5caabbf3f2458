import { expect, it } from 'vitest';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { createThreadReader } from '../../../src/core/slack/thread.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { startFakeSlack } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

const ME = { botUserId: 'U0BOT', appId: 'A0GATE', botId: 'B0GATE' };

async function startSlack(pages: readonly object[]) {
  let asked = 0;
  const slack = await startFakeSlack(() => {
    asked += 1;
    return pages[asked - 1] ?? { ok: false, error: 'thread_not_found' };
  });
  const { logger } = createLogSink();
  const { lookup: client } = createWebClients(
    { botToken: 'xoxb-1', apiUrl: slack.apiUrl, logger },
    { clock: systemClock, timers: systemTimers, timing: TRUE_TIME },
  );
  const read = createThreadReader({ client, me: ME, timers: systemTimers, timing: TRUE_TIME });
  return { read, slack, [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose]() };
}

const said = (ts: string, text: string, more: object = { user: 'U0ANA' }) => ({
  ts,
  text,
  ...more,
});
const more = (next: string) => ({ has_more: true, response_metadata: { next_cursor: next } });

it('has what people and other apps wrote, from all pages, each message once', async () => {
  const root = said('1.1', 'Broken');
  await using stage = await startSlack([
    {
      ok: true,
      messages: [
        root,
        said('1.2', 'ours', { user: 'U0BOT' }),
        said('1.3', 'ours too', { user: 'U0OLD', app_id: 'A0GATE' }),
        said('1.4', 'and ours', { bot_id: 'B0GATE' }),
        said('1.5', 'Ben has joined', { user: 'U0BEN', subtype: 'channel_join' }),
        said('1.6', 'Look', { user: 'U0BEN', subtype: 'thread_broadcast' }),
      ],
      ...more('b'),
    },
    {
      ok: true,
      messages: [
        root,
        said('1.7', '', { user: 'U0BEN', files: [{ name: 'screen.png' }] }),
        said('1.8', 'Slow', { user: 'U0M', bot_id: 'B0M', bot_profile: { name: 'Monitor' } }),
        said('1.9', 'Posted', { bot_id: 'B0W', subtype: 'bot_message', username: 'Hook' }),
        said('1.91', ''),
      ],
      has_more: false,
    },
  ]);
  expect(await stage.read('C1', '1.1')).toEqual({
    isWhole: true,
    messages: [
      { user: 'U0ANA', name: null, markup: 'Broken' },
      { user: 'U0BEN', name: null, markup: 'Look' },
      { user: 'U0BEN', name: null, markup: 'screen.png' },
      { user: null, name: 'Monitor', markup: 'Slow' },
      { user: null, name: 'Hook', markup: 'Posted' },
    ],
  });
  expect(stage.slack.calls.map(({ body }) => body)).toEqual([
    { channel: 'C1', ts: '1.1', limit: '200' },
    { channel: 'C1', ts: '1.1', limit: '200', cursor: 'b' },
  ]);
});

it('is read up to a thousand messages, and then not whole', async () => {
  const pages = [...'abcdefgh'].map((next) => ({
    ok: true,
    messages: [said(`1.${next}`, next)],
    ...more(next),
  }));
  await using stage = await startSlack(pages);
  const { messages, isWhole } = await stage.read('C1', '1.1');
  expect(messages.map(({ markup }) => markup).join('')).toBe('abcde');
  expect(isWhole).toBe(false);
});

it('names the scope that Slack did not grant', async () => {
  await using stage = await startSlack([
    { ok: false, error: 'missing_scope', needed: 'mpim:history', provided: 'chat:write' },
  ]);
  await expect(stage.read('G1', '1.1')).rejects.toMatchObject({
    code: 'missing_scope',
    detail: 'needs mpim:history',
  });
});
