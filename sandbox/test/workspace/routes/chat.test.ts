import { describe, expect, it } from 'vitest';
import { manifest, startAppWorld } from '../app-world.ts';
import { type Answer, callSlack, type Given, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call, post } = live;
const channel = 'C0DEPLOYS';
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const metadata = { event_type: 'part', event_payload: { record: 'r1' } };
const attachment = { color: 'good', text: 'More' };
/** A name and a picture of one message. */
const authorArguments = (write: (text: string, more: Given) => Promise<string>) => {
  const written = async (more: Given) => {
    const ts = await write('a', more);
    const { workspace } = live.sandbox;
    return workspace.visibleTo('U0ANA', channel).find((each) => each.ts === ts);
  };
  return {
    username: async () =>
      expect(await written({ username: 'Robo' })).toMatchObject({ username: 'Robo' }),
    icon_emoji: async () =>
      expect(await written({ icon_emoji: ':zap:' })).toMatchObject({ icons: { emoji: ':zap:' } }),
    icon_url: async () => {
      const icon_url = 'https://example.com/a.png';
      expect(await written({ icon_url })).toMatchObject({ icons: { image_64: icon_url } });
    },
  };
};
const tooMuch = Array.from({ length: 4 }, () => section('a'.repeat(2_600)));

const message = (ts: string) => live.sandbox.workspace.message(channel, ts);
const posting = (more: Given) => call('chat.postMessage', { channel, ...more });
const updating = async (more: Given) =>
  call('chat.update', { channel, ts: await post('Before'), ...more });
const whispering = (more: Given) => call('chat.postEphemeral', { channel, user: 'U0ANA', ...more });
const deleting = (more: Given) => call('chat.delete', { channel, ...more });
/** With the messages tab switched off by the manifest. */
async function withoutMessagesTab(method: string, given: Given): Promise<Answer> {
  const off = 'home_tab_enabled: true, messages_tab_enabled: false';
  const without = manifest.replace('home_tab_enabled: true', off);
  await using other = await startAppWorld({ manifest: without });
  await callSlack(other.sandbox, 'conversations.open', { users: 'U0ANA' });
  return await callSlack(other.sandbox, method, { channel: 'D0ANA', text: 'a', ...given });
}
const nobodys = async () => live.sandbox.workspace.say({ user: 'U0ANA', channel, text: 'Mine' }).ts;

/** Errors of every method that writes a message. */
const contentErrors = (write: (more: Given) => Promise<Given>) => ({
  no_text: () => write({ text: ' ' }),
  invalid_blocks: () => write({ text: 'a', blocks: [section('')] }),
  invalid_blocks_format: () => write({ text: 'a', blocks: '[1' }),
  too_many_attachments: () =>
    write({ text: 'a', attachments: Array.from({ length: 101 }, () => attachment) }),
});
const metadataErrors = (write: (more: Given) => Promise<Given>) => ({
  invalid_metadata_format: () => write({ text: 'a', metadata: { event_type: 'x' } }),
  metadata_too_large: () =>
    write({ text: 'a', metadata: { ...metadata, event_payload: { a: 'a'.repeat(16_000) } } }),
});

proveMethods(live, {
  'chat.postMessage': {
    works: () => ({ channel, text: 'Hello' }),
    optional: {
      text: async () => expect(message(await post('a'))).toMatchObject({ text: 'a' }),
      blocks: async () => {
        const ts = await post('a', {
          blocks: [section('b'), { type: 'divider', block_id: 'mine' }],
        });
        expect(message(ts)?.blocks).toMatchObject([
          { type: 'section', block_id: expect.stringMatching(/.+/), text: { verbatim: false } },
          { type: 'divider', block_id: 'mine' },
        ]);
      },
      metadata: async () =>
        expect(message(await post('a', { metadata }))).toMatchObject({ metadata }),
      thread_ts: async () => {
        const thread_ts = await post('a');
        const ts = await post('b', { thread_ts });
        expect(message(await post('c', { thread_ts: ts }))).toMatchObject({ thread_ts });
      },
      reply_broadcast: async () => {
        const alone = await post('a', { reply_broadcast: true });
        expect(message(alone)).not.toHaveProperty('subtype');
        const ts = await post('b', { thread_ts: alone, reply_broadcast: true });
        expect(message(ts)).toMatchObject({ subtype: 'thread_broadcast' });
      },
      attachments: async () =>
        expect(message(await post('', { attachments: [attachment] }))).toMatchObject({
          attachments: [{ id: 1, fallback: 'More', ...attachment }],
        }),
      ...authorArguments(post),
    },
    errors: {
      ...contentErrors(posting),
      ...metadataErrors(posting),
      msg_blocks_too_long: () => posting({ text: 'a', blocks: tooMuch }),
      cannot_reply_to_message: () => posting({ text: 'a', thread_ts: '1.000001' }),
      channel_not_found: () => posting({ channel: 'C0NONE', text: 'a' }),
      messages_tab_disabled: () => withoutMessagesTab('chat.postMessage', { channel: 'U0ANA' }),
      is_archived: () => posting({ channel: 'C0OLD', text: 'a' }),
      not_in_channel: () => posting({ channel: 'C0NOBOT', text: 'a' }),
    },
  },
  'chat.update': {
    works: async () => ({ channel, ts: await post('Before'), text: 'After' }),
    optional: {
      text: async () => {
        const { ts } = await updating({ text: 'After' });
        expect(message(String(ts))).toMatchObject({ text: 'After', edited: { user: 'U0APP' } });
      },
      blocks: async () => {
        const { ts } = await updating({ text: 'After', blocks: [section('b')] });
        expect(message(String(ts))?.blocks).toMatchObject([section('b')]);
        await call('chat.update', { channel, ts, text: 'Bare' });
        expect(message(String(ts))).not.toHaveProperty('blocks');
      },
      metadata: async () => {
        const { ts } = await updating({ text: 'After', metadata });
        expect(message(String(ts))).toMatchObject({ metadata });
        await call('chat.update', { channel, ts, text: 'Later' });
        expect(message(String(ts))).toMatchObject({ text: 'Later', metadata });
      },
      attachments: async () => {
        const { ts } = await updating({ text: 'After', attachments: [attachment] });
        await call('chat.update', { channel, ts, text: 'Kept' });
        expect(message(String(ts))).toMatchObject({ text: 'Kept', attachments: [attachment] });
        await call('chat.update', { channel, ts, text: 'Bare', attachments: [] });
        expect(message(String(ts))).toMatchObject({ text: 'Bare', attachments: [] });
      },
    },
    errors: {
      ...contentErrors(updating),
      ...metadataErrors(updating),
      msg_too_long: () => updating({ text: 'a'.repeat(4_001) }),
      cant_update_message: async () => updating({ ts: await nobodys(), text: 'a' }),
      channel_not_found: () => updating({ channel: 'C0NONE', text: 'a' }),
      is_inactive: async () => {
        const ts = await post('a');
        live.sandbox.workspace.archive(channel);
        return call('chat.update', { channel, ts, text: 'b' });
      },
      message_not_found: () => updating({ ts: '1.000001', text: 'a' }),
      streaming_state_conflict: async () => {
        const recipient = { recipient_team_id: 'T0ACME', recipient_user_id: 'U0ANA' };
        const given = { channel, thread_ts: await post('a'), markdown_text: 'b', ...recipient };
        const { ts } = await call('chat.startStream', given);
        return call('chat.update', { channel, ts, text: 'c' });
      },
      edit_window_closed: async () => {
        const ts = await post('a');
        live.sandbox.workspace.setEditWindow(60_000);
        expect(await call('chat.update', { channel, ts, text: 'b' })).toMatchObject({ ok: true });
        live.wait(60_001);
        return call('chat.update', { channel, ts, text: 'c' });
      },
    },
  },
  'chat.delete': {
    works: async () => ({ channel, ts: await post('a') }),
    errors: {
      cant_delete_message: async () => deleting({ ts: await nobodys() }),
      channel_not_found: () => deleting({ channel: 'C0NONE', ts: '1.000001' }),
      message_not_found: async () => {
        const ts = await post('a');
        await deleting({ ts });
        expect(message(ts)).toBeUndefined();
        return deleting({ ts });
      },
    },
  },
  'chat.postEphemeral': {
    works: () => ({ channel, user: 'U0ANA', text: 'Psst' }),
    optional: {
      text: async () => {
        await whispering({ text: 'Psst' });
        const { workspace } = live.sandbox;
        expect(workspace.visibleTo('U0ANA', channel)).toMatchObject([{ text: 'Psst' }]);
        expect(workspace.visibleTo('U0BEN', channel)).toEqual([]);
        expect(workspace.visibleTo('U0ANA', 'C0OUTCOMES')).toEqual([]);
        expect(workspace.messages(channel)).toEqual([]);
      },
      blocks: async () => {
        await whispering({ blocks: [section('Psst')] });
        const [words] = live.sandbox.workspace.ephemerals('U0ANA');
        expect(words?.blocks).toMatchObject([section('Psst')]);
      },
      attachments: async () => {
        await whispering({ attachments: [attachment] });
        const [words] = live.sandbox.workspace.ephemerals('U0ANA');
        expect(words).toMatchObject({ text: '', attachments: [attachment] });
      },
      ...authorArguments(async (text, more) =>
        String((await whispering({ text, ...more })).message_ts),
      ),
      thread_ts: async () => {
        const thread_ts = await post('a');
        await whispering({ text: 'Psst', thread_ts });
        expect(live.sandbox.workspace.ephemerals('U0ANA')).toMatchObject([{ thread_ts }]);
      },
    },
    errors: {
      ...contentErrors(whispering),
      msg_too_long: () => whispering({ text: 'a'.repeat(40_001) }),
      cannot_reply_to_message: () => whispering({ text: 'a', thread_ts: '1.000001' }),
      channel_not_found: () => whispering({ channel: 'C0SECURITY', text: 'a' }),
      messages_tab_disabled: () => withoutMessagesTab('chat.postEphemeral', { user: 'U0ANA' }),
      is_archived: () => whispering({ channel: 'C0OLD', text: 'a' }),
      not_in_channel: () => whispering({ channel: 'C0NOBOT', text: 'a' }),
      user_not_in_channel: () => whispering({ user: 'U0BOTX', text: 'a' }),
    },
  },
  'chat.getPermalink': {
    works: async () => ({ channel, message_ts: await post('a') }),
    errors: {
      channel_not_found: () => call('chat.getPermalink', { channel: 'C0NONE', message_ts: '1.1' }),
      message_not_found: () => call('chat.getPermalink', { channel, message_ts: '1.000001' }),
    },
  },
});

describe('a name of one message', () => {
  it('has no effect without chat:write.customize, and the log says so', async () => {
    await using bare = await startAppWorld({ scopes: ['chat:write'] });
    const { message: posted, ok } = await callSlack(bare.sandbox, 'chat.postMessage', {
      channel,
      text: 'a',
      username: 'Robo',
    });
    expect(ok).toBe(true);
    expect(posted).not.toHaveProperty('username');
    expect(bare.sandbox.workspace.calls()).toMatchObject([
      { notes: ['username and icon have no effect without the scope chat:write.customize'] },
    ]);
  });
});

describe('attachments', () => {
  it.each([
    ['a member that it does not know', { charm: 1 }, 'invalid additional property: charm'],
    ['a menu', { actions: [{ type: 'select', text: 'a' }] }, 'imitates only buttons'],
  ])('with %s are refused with its place', async (_, given, problem) => {
    const answer = await posting({ text: 'a', attachments: [attachment, given] });
    expect(answer).toMatchObject({
      error: 'invalid_arguments',
      errors: [expect.stringMatching(new RegExp(`${problem}.*json-pointer:/attachments/1`))],
    });
  });

  it('with blocks that are not valid are refused', async () => {
    const answer = await posting({ text: 'a', attachments: [{ blocks: [section('')] }] });
    expect(answer).toMatchObject({
      error: 'invalid_blocks',
      errors: [expect.stringContaining('json-pointer:/attachments/0/blocks/0/text/text')],
    });
  });
});

describe('chat', () => {
  it.each(['C0SECURITY', 'U0NONE', 'U0DEL', 'U0BOTX'])('does not find %s', async (to) => {
    expect(await posting({ channel: to, text: 'a' })).toMatchObject({ error: 'channel_not_found' });
  });

  it('opens a direct message for a post to a person', async () => {
    const answer = await posting({ channel: 'U0CLEO', text: 'Approved' });
    expect(answer).toMatchObject({ ok: true, channel: 'D0CLEO', message: { text: 'Approved' } });
    expect(live.sandbox.workspace.directMessages('U0CLEO')).toMatchObject([{ text: 'Approved' }]);
  });

  it('returns the author of a message', async () => {
    const author = { user: 'U0APP', bot_id: 'B0APP', app_id: 'A0APP', team: 'T0ACME' };
    expect(message(await post('a'))).toMatchObject(author);
  });

  it('returns every problem of the blocks with its place', async () => {
    const blocks = [section('a'), section(''), { type: 'header', text: section('b').text }];
    expect(await posting({ text: 'a', blocks })).toMatchObject({
      errors: [
        'must be more than 0 characters [json-pointer:/blocks/1/text/text]',
        expect.stringContaining('[json-pointer:/blocks/2/text/type]'),
      ],
      response_metadata: {
        messages: [
          '[ERROR] must be more than 0 characters [json-pointer:/blocks/1/text/text]',
          expect.stringMatching(/^\[ERROR\] /),
        ],
      },
    });
    expect(live.sandbox.workspace.messages(channel)).toEqual([]);
  });

  it('cannot update messages in a channel that the bot has left', async () => {
    const ts = await post('a');
    const update = () => call('chat.update', { channel, ts, text: 'b' });
    live.sandbox.workspace.kickBot(channel);
    expect(await update()).toMatchObject({ error: 'cant_update_message' });
    live.sandbox.workspace.inviteBot(channel);
    expect(await update()).toMatchObject({ ok: true });
  });

  it('leaves a tombstone for a deleted message with replies', async () => {
    const ts = await post('Parent');
    const reply = await post('Reply', { thread_ts: ts });
    await deleting({ ts });
    const thread = live.sandbox.workspace.thread(channel, ts);
    expect(thread).toMatchObject([{ subtype: 'tombstone' }, { ts: reply }]);
    const update = await call('chat.update', { channel, ts, text: 'x' });
    expect(update).toMatchObject({ error: 'message_not_found' });
    await deleting({ ts: reply });
    expect(message(reply)).toBeUndefined();
  });

  it('returns a link to a message, and to a reply in its thread', async () => {
    const ts = await post('a');
    const reply = await post('b', { thread_ts: ts });
    const link = (message_ts: string) => call('chat.getPermalink', { channel, message_ts });
    const start = `${live.sandbox.url}/archives/${channel}/p`;
    expect(await link(ts)).toMatchObject({ permalink: start + ts.replace('.', '') });
    expect(await link(reply)).toMatchObject({
      permalink: `${start}${reply.replace('.', '')}?thread_ts=${ts}&cid=${channel}`,
    });
  });
});

it('an app that can post to every public channel need not join them', async () => {
  const scopes = ['chat:write', 'chat:write.public'];
  await using open = await startAppWorld({ scopes });
  const post = (to: string) =>
    callSlack(open.sandbox, 'chat.postMessage', { channel: to, text: 'a' });
  expect(await post('C0NOBOT')).toMatchObject({ ok: true });
  expect(await post('C0SECURITY')).toMatchObject({ error: 'channel_not_found' });
  expect(await call('chat.postMessage', { channel: 'C0NOBOT', text: 'a' })).toMatchObject({
    error: 'not_in_channel',
  });
});
