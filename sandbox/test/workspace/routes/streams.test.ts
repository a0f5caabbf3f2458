import { expect, it } from 'vitest';
import { slackClient } from '../../slack-client.ts';
import { manifest, startAppWorld } from '../app-world.ts';
import { callSlack, type Given, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call, post } = live;
const channel = 'C0DEPLOYS';
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const recipient = { recipient_team_id: 'T0ACME', recipient_user_id: 'U0ANA' };
const chunk = (text: string) => ({ type: 'markdown_text', text });
const task = { type: 'task_update', id: '1', title: 'Thinking', status: 'in_progress' };

const beginning = async (more: Given = {}) =>
  call('chat.startStream', { channel, thread_ts: await post('a'), ...recipient, ...more });
/** A stream that is open, for another call. */
const open = async (more: Given = {}) => ({ channel, ts: (await beginning(more)).ts });
const appending = async (more: Given) =>
  call('chat.appendStream', { ...(await open()), markdown_text: 'b', ...more });
const stopping = async (more: Given = {}) =>
  call('chat.stopStream', { ...(await open()), ...more });
const messageOf = ({ ts }: Given) => live.sandbox.workspace.message(channel, String(ts));
const tooLong = 'a'.repeat(12_001);

const own = {
  username: async () => expect(messageOf(await beginning({ username: 'R' }))?.username).toBe('R'),
  icon_emoji: async () =>
    expect(messageOf(await beginning({ icon_emoji: ':zap:' }))?.icons).toEqual({ emoji: ':zap:' }),
  icon_url: async () =>
    expect(messageOf(await beginning({ icon_url: 'https://x.example' }))?.icons).toEqual({
      image_64: 'https://x.example',
    }),
};
const chunkErrors = (write: (more: Given) => Promise<Given>) => ({
  invalid_chunks: async () => {
    expect(await write({ chunks: {} })).toMatchObject({ error: 'invalid_chunks' });
    expect(await write({ chunks: ['a'] })).toMatchObject({ error: 'invalid_chunks' });
    return write({ chunks: [{ type: 'markdown_text' }] });
  },
  msg_too_long: () => write({ markdown_text: tooLong }),
});
const streamErrors = (method: string) => {
  const given = { markdown_text: 'b' };
  return {
    ...chunkErrors(async (more) => call(method, { ...(await open()), ...more })),
    channel_not_found: () => call(method, { channel: 'C0NONE', ts: '1.000001', ...given }),
    message_not_found: () => call(method, { channel, ts: '1.000001', ...given }),
    message_not_owned_by_app: () => {
      const { ts } = live.sandbox.workspace.say({ user: 'U0ANA', channel, text: 'Mine' });
      return call(method, { channel, ts, ...given });
    },
    message_not_in_streaming_state: async () => {
      const stream = await open();
      await call('chat.stopStream', stream);
      return call(method, { ...stream, ...given });
    },
  };
};

proveMethods(live, {
  'chat.startStream': {
    works: async () => ({ channel, thread_ts: await post('a'), ...recipient }),
    optional: {
      ...own,
      markdown_text: async () => {
        const message = messageOf(await beginning({ markdown_text: 'Hello' }));
        expect(message).toMatchObject({ text: 'Hello', streaming_state: 'in_progress' });
        expect(message).toHaveProperty('thread_ts');
      },
      chunks: async () => {
        const message = messageOf(await beginning({ chunks: [chunk('He'), task, chunk('llo')] }));
        expect(message).toMatchObject({ text: 'Hello' });
        expect(live.sandbox.workspace.calls('chat.startStream').at(-1)).toMatchObject({
          notes: ['a chunk task_update is not shown here'],
        });
      },
      recipient_team_id: async () => expect(await beginning()).toMatchObject({ ok: true }),
      recipient_user_id: async () => {
        const { channel: direct } = await call('conversations.open', { users: 'U0ANA' });
        // The client returns the response unchecked.
        const { id } = direct as { id: string };
        const { ts } = await call('chat.postMessage', { channel: id, text: 'a' });
        const given = { channel: id, thread_ts: ts, markdown_text: 'b' };
        expect(await call('chat.startStream', given)).toMatchObject({ ok: true });
      },
    },
    errors: {
      ...chunkErrors(beginning),
      cannot_reply_to_message: () => beginning({ thread_ts: '1.000001' }),
      channel_not_found: () => beginning({ channel: 'C0NONE' }),
      is_archived: () => beginning({ channel: 'C0OLD' }),
      not_in_channel: () => beginning({ channel: 'C0NOBOT' }),
      missing_recipient_team_id: () => beginning({ recipient_team_id: undefined }),
      missing_recipient_user_id: () => beginning({ recipient_user_id: undefined }),
      messages_tab_disabled: async () => {
        const off = 'home_tab_enabled: true, messages_tab_enabled: false';
        const without = manifest.replace('home_tab_enabled: true', off);
        await using other = await startAppWorld({ manifest: without });
        const given = { channel: 'U0ANA', thread_ts: '1.000001' };
        return await callSlack(other.sandbox, 'chat.startStream', given);
      },
    },
  },
  'chat.appendStream': {
    works: async () => ({ ...(await open()), markdown_text: 'b' }),
    optional: {
      markdown_text: async () => {
        const stream = await open({ markdown_text: 'He' });
        await call('chat.appendStream', { ...stream, markdown_text: 'llo' });
        expect(messageOf(stream)).toMatchObject({ text: 'Hello', streaming_state: 'in_progress' });
      },
      chunks: async () => {
        const stream = await open({ markdown_text: 'He' });
        await call('chat.appendStream', { ...stream, chunks: [chunk('llo')] });
        expect(messageOf(stream)).toMatchObject({ text: 'Hello' });
      },
    },
    errors: {
      ...streamErrors('chat.appendStream'),
      no_text: () => appending({ markdown_text: undefined }),
    },
  },
  'chat.stopStream': {
    works: open,
    optional: {
      markdown_text: async () => {
        const stream = await open({ markdown_text: 'He' });
        await call('chat.stopStream', { ...stream, markdown_text: 'llo' });
        expect(messageOf(stream)).toMatchObject({ text: 'Hello', streaming_state: 'completed' });
      },
      chunks: async () =>
        expect(messageOf(await stopping({ chunks: [chunk('End')] }))).toMatchObject({
          text: 'End',
        }),
      blocks: async () =>
        expect(messageOf(await stopping({ blocks: [section('b')] }))).toMatchObject({
          blocks: [section('b')],
        }),
      metadata: async () => {
        const metadata = { event_type: 'part', event_payload: { record: 'r1' } };
        expect(messageOf(await stopping({ metadata }))).toMatchObject({ metadata });
      },
    },
    errors: {
      ...streamErrors('chat.stopStream'),
      invalid_blocks: () => stopping({ blocks: [section('')] }),
      invalid_blocks_format: () => stopping({ blocks: '[1' }),
      invalid_metadata_format: () => stopping({ metadata: { event_type: 'x' } }),
      metadata_too_large: () =>
        stopping({ metadata: { event_type: 'x', event_payload: { a: 'a'.repeat(16_000) } } }),
    },
  },
  'assistant.threads.setStatus': {
    works: async () => ({ channel_id: channel, thread_ts: await post('a'), status: '' }),
    errors: {
      channel_not_found: () =>
        call('assistant.threads.setStatus', { channel_id: 'C0', thread_ts: '1.1', status: '' }),
    },
  },
});

it('a status is noted in the log', async () => {
  const given = { channel_id: channel, thread_ts: await post('a'), status: 'thinking' };
  expect(await call('assistant.threads.setStatus', given)).toMatchObject({ ok: true });
  expect(live.sandbox.workspace.calls('assistant.threads.setStatus')).toMatchObject([
    { notes: ['a status is not shown here'] },
  ]);
});

it('the streamer of Slack’s client writes an answer', async () => {
  const client = slackClient(live.sandbox);
  const thread_ts = await post('a');
  const streamer = client.chatStream({ channel, thread_ts, ...recipient, buffer_size: 3 });
  await streamer.append({ markdown_text: 'Hello ' });
  await streamer.append({ markdown_text: 'world' });
  await streamer.stop({ blocks: [section('Was it good?')] });
  expect(live.sandbox.workspace.thread(channel, thread_ts)[1]).toMatchObject({
    text: 'Hello world',
    streaming_state: 'completed',
    blocks: [section('Was it good?')],
  });
});
