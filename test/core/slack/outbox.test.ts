import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/core/lib/clock.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { SlackIdentity } from '../../../src/core/slack/identity.ts';
import { createOutbox, type Search } from '../../../src/core/slack/outbox.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { type Answer, type FakeSlack, startFakeSlack, status } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

const ME = { botUserId: 'U1', appId: null, botId: 'B1' };

/** `storeNow`: by default what Slack says it is. */
function outboxOf(
  slack: FakeSlack,
  me: Pick<SlackIdentity, 'botUserId' | 'appId' | 'botId'> = ME,
  storeNow?: () => number,
) {
  const { logger } = createLogSink();
  const clients = createWebClients(
    { botToken: 'xoxb-1', apiUrl: slack.apiUrl, logger },
    { clock: systemClock, timers: systemTimers, timing: TRUE_TIME },
  );
  return createOutbox({
    client: clients.outbox,
    me,
    timers: systemTimers,
    timing: TRUE_TIME,
    storeNow: storeNow ?? (() => clients.slackNow() ?? 0),
    slackNow: clients.slackNow,
  });
}

const metadata = { record: '1-abc', post: 'message' };

describe('a post', () => {
  it('carries the record and the post it belongs to, and unfurls no links', async () => {
    await using slack = await startFakeSlack(() => ({ ok: true, channel: 'C1', ts: '1.000001' }));
    const posted = await outboxOf(slack).post({
      channel: 'C1',
      threadTs: '0.5',
      replyBroadcast: true,
      text: 'Hello',
      blocks: [{ type: 'divider' }],
      metadata,
    });
    expect(posted).toEqual({ channel: 'C1', ts: '1.000001' });
    expect(slack.calls).toHaveLength(1);
    expect(slack.calls[0]).toMatchObject({ method: 'chat.postMessage' });
    expect(slack.calls[0]?.body).toEqual({
      channel: 'C1',
      thread_ts: '0.5',
      reply_broadcast: 'true',
      text: 'Hello',
      blocks: [{ type: 'divider' }],
      metadata: { event_type: 'gatepost_post', event_payload: metadata },
      unfurl_links: 'false',
      unfurl_media: 'false',
    });
  });

  it('fails as unreadable when Slack does not return the message', async () => {
    await using slack = await startFakeSlack(() => ({ ok: true }));
    const post = outboxOf(slack).post({ channel: 'C1', text: 'Hello', metadata });
    await expect(post).rejects.toMatchObject({ class: 'unreadable' });
  });
});

describe('an update', () => {
  it('sends text and blocks, and leaves the metadata alone unless given', async () => {
    await using slack = await startFakeSlack();
    const outbox = outboxOf(slack);
    await outbox.update({ channel: 'C1', ts: '1.1', text: 'Done', blocks: [] });
    await outbox.update({ channel: 'C1', ts: '1.1', text: 'Done', blocks: [], metadata });
    expect(slack.calls.map((call) => call.body)).toEqual([
      { channel: 'C1', ts: '1.1', text: 'Done', blocks: [] },
      {
        channel: 'C1',
        ts: '1.1',
        text: 'Done',
        blocks: [],
        metadata: { event_type: 'gatepost_post', event_payload: metadata },
      },
    ]);
  });

  it('that Slack will never accept is refused with its code', async () => {
    await using slack = await startFakeSlack(() => ({ ok: false, error: 'cant_update_message' }));
    const update = outboxOf(slack).update({ channel: 'C1', ts: '1.1', text: 'Done', blocks: [] });
    await expect(update).rejects.toMatchObject({ class: 'refused', code: 'cant_update_message' });
  });
});

const search: Search = { channel: 'C1', sinceAt: 1_700_000_000_000, matches: metadata };

function message(ts: string, payload: unknown, rest: object = { bot_id: 'B1' }) {
  return { ts, ...rest, metadata: { event_type: 'gatepost_post', event_payload: payload } };
}

describe('a search', () => {
  it('finds a post that was posted again since, but not the one before', async () => {
    const named = (post: string) => ({ record: '1-abc', post });
    await using slack = await startFakeSlack(() => ({
      ok: true,
      messages: [
        message('4.4', named('message-again-10')),
        message('3.3', named('message-again-9')),
        message('2.2', named('outcome-thread-again-11')),
        message('1.1', named('message')),
      ],
    }));
    const foundAs = (post: string) =>
      outboxOf(slack).findByMetadata({ ...search, matches: named(post) });
    expect(await foundAs('message')).toBe('4.4');
    expect(await foundAs('message-again-10')).toBe('4.4');
    expect(await foundAs('message-again-11')).toBeUndefined();
    expect(await foundAs('outcome-thread')).toBe('2.2');
  });

  it('finds the message that carries the metadata on a later page', async () => {
    await using slack = await startFakeSlack(({ body }) =>
      body.cursor === 'next'
        ? { ok: true, messages: [message('3.3', metadata)] }
        : {
            ok: true,
            messages: [
              { ts: '9.9', text: 'of a person' },
              message('8.8', { record: '1-abc', post: 'outcome' }),
              message('7.7', { record: '1-other', post: 'message' }),
              message('6.6', metadata, { user: 'UOTHER', app_id: 'AOTHER', bot_id: 'BOTHER' }),
              message('6.5', metadata, {}),
              { ts: '5.5', bot_id: 'B1', metadata: { event_type: 'x', event_payload: metadata } },
              { ts: '4.4', bot_id: 'B1', metadata: { event_type: 'gatepost_post' } },
            ],
            has_more: true,
            response_metadata: { next_cursor: 'next' },
          },
    );
    expect(await outboxOf(slack).findByMetadata(search)).toBe('3.3');
    expect(slack.calls[0]).toMatchObject({
      method: 'conversations.history',
      body: { channel: 'C1', include_all_metadata: 'true', inclusive: 'true' },
    });
    // Two minutes before, for clocks that do not agree.
    expect(slack.calls[0]?.body.oldest).toBe('1699999880.000000');
  });

  it.each([
    ['the user id of the bot', { user: 'U1', app_id: 'A2', bot_id: 'B2' }],
    ['the id of the app', { user: 'U2', app_id: 'A1', bot_id: 'B2' }],
    ['the id of the bot', { user: 'U2', bot_id: 'B1' }],
  ])('recognizes a message of its own by only %s', async (_, author) => {
    const messages = [message('3.3', metadata, author)];
    await using slack = await startFakeSlack(() => ({ ok: true, messages }));
    const outbox = outboxOf(slack, { botUserId: 'U1', appId: 'A1', botId: 'B1' });
    expect(await outbox.findByMetadata(search)).toBe('3.3');
    const place = { channel: 'C1', ts: '3.3' };
    expect(await outbox.readMessage(place)).toMatchObject({ metadata });
  });

  it('does not treat two unknown ids as equal', async () => {
    const messages = [message('3.3', metadata, { user: 'U2' })];
    await using slack = await startFakeSlack(() => ({ ok: true, messages }));
    const outbox = outboxOf(slack, { botUserId: 'U1', appId: null, botId: null });
    expect(await outbox.findByMetadata(search)).toBeUndefined();
    expect(await outbox.readMessage({ channel: 'C1', ts: '3.3' })).toBeUndefined();
  });

  it('uses the clock of Slack when the clock of the store is ahead', async () => {
    const at = Date.parse('2026-11-22T10:00:00Z');
    const HOUR_MS = 3_600_000;
    const headers = { date: new Date(at).toUTCString() };
    const nothing = status(200, JSON.stringify({ ok: true, messages: [] }), headers);
    await using slack = await startFakeSlack(() => nothing);
    // Its record is nine minutes old.
    const outbox = outboxOf(slack, ME, () => at + HOUR_MS);
    const since = { ...search, sinceAt: at + HOUR_MS - 9 * 60_000 };
    await outbox.findByMetadata(since);
    await outbox.findByMetadata(since);
    // Slack's time is known from its first answer on: twelve minutes ago, of which two are for clocks.
    const [before, after] = slack.calls.map(({ body }) => Number(body.oldest) * 1_000);
    expect(before).toBe(at + HOUR_MS - 11 * 60_000);
    expect(Number(after) - (at - 12 * 60_000)).toBeGreaterThanOrEqual(0);
    expect(Number(after) - (at - 12 * 60_000)).toBeLessThan(60_000);
  });

  it('looks at the replies of a thread', async () => {
    await using slack = await startFakeSlack(() => ({
      ok: true,
      messages: [message('2.2', metadata)],
    }));
    expect(await outboxOf(slack).findByMetadata({ ...search, threadTs: '1.1' })).toBe('2.2');
    expect(slack.calls[0]).toMatchObject({ method: 'conversations.replies', body: { ts: '1.1' } });
  });

  it('says that nothing is there only after the last page', async () => {
    const pages = [
      { ok: true, messages: [], has_more: true, response_metadata: { next_cursor: 'a' } },
      { ok: true, messages: [], has_more: false, response_metadata: { next_cursor: '' } },
    ];
    await using slack = await startFakeSlack(() => pages.shift());
    expect(await outboxOf(slack).findByMetadata(search)).toBeUndefined();
    expect(slack.calls).toHaveLength(2);
  });

  it.each<[string, Answer]>([
    ['the time ends first', () => () => {}],
    [
      'more pages are announced than can be asked for',
      () => ({ ok: true, messages: [], has_more: true }),
    ],
    ['a page cannot be read', () => ({ ok: true, messages: [{ text: 'no ts' }] })],
    ['Slack refuses', () => ({ ok: false, error: 'not_in_channel' })],
  ])('fails when %s', async (_, answer) => {
    await using slack = await startFakeSlack(answer);
    const found = outboxOf(slack).findByMetadata(search, { signal: AbortSignal.timeout(300) });
    await expect(found).rejects.toMatchObject({ name: 'RemoteFailure' });
  });
});

it('opens the conversation with one person', async () => {
  await using slack = await startFakeSlack(() => ({ ok: true, channel: { id: 'D1' } }));
  expect(await outboxOf(slack).openDirectMessage('U1')).toBe('D1');
  expect(slack.calls[0]).toMatchObject({ method: 'conversations.open', body: { users: 'U1' } });
});
