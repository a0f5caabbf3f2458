import { describe, expect } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { startAppWorld } from './app-world.ts';
import { proof } from './proof.ts';
import { type Given, liveWorkspace } from './routes/live-workspace.ts';

const live = liveWorkspace();
const { call, post, trigger } = live;
const channel = 'C0DEPLOYS';
const a = (count: number) => 'a'.repeat(count);
const plain = (text: string) => ({ type: 'plain_text', text });
const ok = { ok: true };
const posting = (more: Given) => call('chat.postMessage', { channel, text: 'a', ...more });
const whispering = (more: Given) =>
  call('chat.postEphemeral', { channel, user: 'U0ANA', text: 'a', ...more });

describe('a message', () => {
  /** Blocks with that many characters in total. */
  const blocksOf = (characters: number) =>
    [2_500, 2_500, 2_500, characters - 7_500].map((count) => ({
      type: 'section',
      text: plain(a(count)),
    }));

  proof(
    'text of 10,000 characters in blocks',
    'has a limit for the text of its blocks',
    async () => {
      const [fits, tooMuch] = [blocksOf(10_000), blocksOf(10_001)];
      const ts = await post('a', { blocks: fits });
      expect(await posting({ blocks: tooMuch })).toMatchObject({ error: 'msg_blocks_too_long' });
      const update = await call('chat.update', { channel, ts, text: 'a', blocks: tooMuch });
      expect(update).toMatchObject({ error: 'msg_too_long' });
      expect(await whispering({ blocks: fits })).toMatchObject(ok);
      expect(await whispering({ blocks: tooMuch })).toMatchObject({ error: 'msg_too_long' });
    },
  );

  proof(
    'text of 40,000 characters',
    'is cut at its limit, and an ephemeral one is refused',
    async () => {
      const ts = await post(a(40_001));
      expect(live.sandbox.workspace.message(channel, ts)?.text).toHaveLength(40_000);
      expect(await whispering({ text: a(40_000) })).toMatchObject(ok);
      expect(await whispering({ text: a(40_001) })).toMatchObject({ error: 'msg_too_long' });
    },
  );

  proof('text of 4,000 characters in an update', 'has a lower limit for an update', async () => {
    const ts = await post('a');
    const update = (text: string) => call('chat.update', { channel, ts, text });
    expect(await update(a(4_000))).toMatchObject(ok);
    expect(await update(a(4_001))).toMatchObject({ error: 'msg_too_long' });
  });

  proof('metadata of 16,000 characters', 'has a limit for its metadata', async () => {
    const metadata = (size: number) => {
      const made = { event_type: 'part', event_payload: { a: '' } };
      return { ...made, event_payload: { a: a(size - JSON.stringify(made).length) } };
    };
    expect(await posting({ metadata: metadata(16_000) })).toMatchObject(ok);
    const refused = await posting({ metadata: metadata(16_001) });
    expect(refused).toMatchObject({ error: 'metadata_too_large' });
  });

  proof(
    'edit window, where one is set',
    'can be updated forever, or within the configured time',
    async () => {
      const ts = await post('a');
      const update = () => call('chat.update', { channel, ts, text: 'b' });
      live.wait(24 * 60 * 60_000);
      expect(await update()).toMatchObject(ok);
      live.sandbox.workspace.setEditWindow(24 * 60 * 60_000);
      expect(await update()).toMatchObject(ok);
      live.wait(1);
      expect(await update()).toMatchObject({ error: 'edit_window_closed' });
    },
  );
});

proof(
  'one post per second and channel, five at once',
  'posts to a channel are accepted in a burst, then one by one, and otherwise get a wait time',
  async () => {
    let ticks = 0;
    await using world = await startAppWorld({ now: () => 1_800_000_000_000 + ticks });
    const { sandbox } = world;
    const write = (to = channel) =>
      slackClient(sandbox).chat.postMessage({ channel: to, text: 'More' });
    for (let count = 0; count < 5; count += 1) await write();
    const refused = await fetch(`${sandbox.slackApiUrl}chat.postMessage`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.credentials.botToken}` },
      body: new URLSearchParams({ channel, text: 'More' }),
    });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toEqual({ ok: false, error: 'ratelimited' });
    await expect(write()).rejects.toMatchObject({ retryAfter: 1 });
    expect(await write('C0OUTCOMES')).toMatchObject(ok);
    ticks = 999;
    await expect(write()).rejects.toMatchObject({ retryAfter: 1 });
    ticks = 1_000;
    await write();
    await expect(write()).rejects.toMatchObject({ retryAfter: 1 });
    ticks = 60_000;
    for (let count = 0; count < 5; count += 1) await write();
    await expect(write()).rejects.toMatchObject({ retryAfter: 1 });
  },
);

describe('a view', () => {
  const go = { type: 'button', action_id: 'go', text: plain('Go') };
  const modal = {
    type: 'modal',
    title: plain('Try'),
    blocks: [{ type: 'actions', elements: [go] }],
  };
  const open = (trigger_id: string, view: object = modal) =>
    call('views.open', { trigger_id, view });

  proof('trigger_id for 3 s', 'must be opened within three seconds', async () => {
    const [early, late] = [await trigger(), await trigger()];
    live.wait(2_999);
    expect(await open(early)).toMatchObject(ok);
    live.wait(1);
    expect(await open(late)).toMatchObject({ error: 'expired_trigger_id' });
  });

  proof('trigger_id once', 'needs a trigger of its own', async () => {
    const trigger_id = await trigger();
    expect(await open(trigger_id)).toMatchObject(ok);
    expect(await open(trigger_id)).toMatchObject({ error: 'exchanged_trigger_id' });
  });

  proof('three modals in a stack', 'can be pushed onto two others at most', async () => {
    await open(await trigger());
    const push = async () => {
      await live.sandbox.workspace.click({ user: 'U0ANA', surface: 'modal', label: 'Go' });
      const trigger_id = live.world.payloads('block_actions').at(-1)?.trigger_id;
      return call('views.push', { trigger_id, view: modal });
    };
    expect(await push()).toMatchObject(ok);
    expect(await push()).toMatchObject(ok);
    expect(await push()).toMatchObject({ error: 'push_limit_reached' });
  });

  proof('view of 250 KB', 'has a limit for its total size', async () => {
    const blocks = Array.from({ length: 100 }, () => ({ type: 'section', text: plain(a(2_430)) }));
    const bare = { type: 'modal', title: plain('Try'), blocks, private_metadata: '' };
    const sized = (size: number) => {
      const view = { ...bare, private_metadata: a(size - JSON.stringify(bare).length) };
      expect(JSON.stringify(view)).toHaveLength(size);
      return view;
    };
    expect(await open(await trigger(), sized(250_000))).toMatchObject(ok);
    const refused = await open(await trigger(), sized(250_001));
    expect(refused).toMatchObject({ error: 'view_too_large' });
  });
});

proof(
  'calls in a minute by tier, where switched on',
  'a method accepts only the calls of its tier',
  async () => {
    let now = 0;
    await using limited = await startAppWorld({ hasTierLimits: true, now: () => now });
    const client = slackClient(limited.sandbox);
    const list = () => client.conversations.list();
    for (let calls = 0; calls < 20; calls += 1) await list();
    await expect(list()).rejects.toMatchObject({ retryAfter: 3 });
    // Each method has its own count of calls.
    expect(await client.users.list({})).toMatchObject(ok);
    now += 3_000;
    expect(await list()).toMatchObject(ok);
    limited.sandbox.reset();
    for (let calls = 0; calls < 20; calls += 1) await list();
    await expect(list()).rejects.toMatchObject({ retryAfter: 3 });
  },
);
