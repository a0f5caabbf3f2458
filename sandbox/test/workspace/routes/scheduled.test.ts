import { expect, it } from 'vitest';
import { manifest, startAppWorld } from '../app-world.ts';
import { callSlack, type Given, liveWorkspace, startedAt } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const waits: { readonly ms: number; readonly end: () => void }[] = [];
const live = liveWorkspace({
  timers: {
    pause: (ms, signal) =>
      new Promise((resolve, reject) => {
        waits.push({ ms, end: resolve });
        signal.addEventListener('abort', reject);
      }),
    monotonic: () => 0,
  },
});
const channel = 'C0DEPLOYS';
const inSeconds = (seconds: number) => startedAt / 1000 + seconds;
const hour = 3_600;
const day = 24 * hour;
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const scheduling = (more: Given) =>
  live.call('chat.scheduleMessage', { channel, post_at: inSeconds(hour), ...more });

/** The message once its time has come. */
async function written(more: Given) {
  const { workspace, until } = live.sandbox;
  const before = workspace.messages(channel).length;
  expect(await scheduling(more)).toMatchObject({ ok: true, post_at: inSeconds(hour) });
  expect(workspace.messages(channel)).toHaveLength(before);
  expect(waits.at(-1)?.ms).toBe(hour * 1000);
  waits.at(-1)?.end();
  return until(() => workspace.messages(channel)[before]);
}

proveMethods(live, {
  'chat.scheduleMessage': {
    works: () => ({ channel, post_at: inSeconds(hour), text: 'Later' }),
    optional: {
      text: async () => expect(await written({ text: 'Later' })).toMatchObject({ text: 'Later' }),
      blocks: async () =>
        expect(await written({ blocks: [section('b')] })).toMatchObject({ blocks: [section('b')] }),
      attachments: async () =>
        expect(await written({ attachments: [{ text: 'a' }] })).toMatchObject({
          attachments: [{ text: 'a' }],
        }),
      thread_ts: async () => {
        const thread_ts = await live.post('a');
        expect(await written({ text: 'b', thread_ts })).toMatchObject({ thread_ts });
      },
      reply_broadcast: async () => {
        const thread_ts = await live.post('a');
        expect(await written({ text: 'b', thread_ts, reply_broadcast: true })).toMatchObject({
          subtype: 'thread_broadcast',
        });
      },
    },
    errors: {
      no_text: () => scheduling({ text: ' ' }),
      invalid_blocks: () => scheduling({ blocks: [section('')] }),
      invalid_blocks_format: () => scheduling({ blocks: '[1' }),
      too_many_attachments: () =>
        scheduling({ attachments: Array.from({ length: 101 }, () => ({ text: 'a' })) }),
      msg_too_long: () => scheduling({ text: 'a'.repeat(40_001) }),
      cannot_reply_to_message: () => scheduling({ text: 'a', thread_ts: '1.000001' }),
      channel_not_found: () => scheduling({ channel: 'C0NONE', text: 'a' }),
      is_archived: () => scheduling({ channel: 'C0OLD', text: 'a' }),
      not_in_channel: () => scheduling({ channel: 'C0NOBOT', text: 'a' }),
      messages_tab_disabled: async () => {
        const off = 'home_tab_enabled: true, messages_tab_enabled: false';
        const without = manifest.replace('home_tab_enabled: true', off);
        await using other = await startAppWorld({ manifest: without });
        const given = { channel: 'U0ANA', post_at: Math.ceil(Date.now() / 1000) + hour, text: 'a' };
        return await callSlack(other.sandbox, 'chat.scheduleMessage', given);
      },
      invalid_time: () => scheduling({ text: 'a', post_at: 'tomorrow' }),
      time_in_past: () => scheduling({ text: 'a', post_at: inSeconds(0) }),
      time_too_far: () => scheduling({ text: 'a', post_at: inSeconds(120 * day + 1) }),
    },
  },
});

it('waits longer than a timer of Node can', async () => {
  const { workspace, until } = live.sandbox;
  expect(await scheduling({ text: 'Later', post_at: inSeconds(30 * day) })).toMatchObject({
    ok: true,
  });
  const [first, count] = [waits.at(-1), waits.length];
  first?.end();
  await expect.poll(() => waits.length).toBe(count + 1);
  const second = waits.at(-1);
  expect((first?.ms ?? 0) + (second?.ms ?? 0)).toBe(30 * day * 1000);
  expect(workspace.messages(channel)).toEqual([]);
  second?.end();
  await until(() => workspace.messages(channel)[0]);
});

it('writes nothing after a reset', async () => {
  await scheduling({ text: 'Later' });
  const wait = waits.at(-1);
  live.sandbox.reset();
  wait?.end();
  await live.post('Now');
  expect(live.sandbox.workspace.messages(channel)).toMatchObject([{ text: 'Now' }]);
});
