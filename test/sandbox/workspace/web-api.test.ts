import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../../src/sandbox/start-sandbox.ts';
import { webMethods } from '../../../src/sandbox/workspace/web-api.ts';
import { startReceiver } from '../receiver.ts';
import { slackClient } from '../slack-client.ts';

let sandbox: Sandbox;
let ticks = 0;
const startedAt = Date.UTC(2026, 10, 20, 10);

beforeAll(async () => {
  sandbox = await startSandbox({ now: () => startedAt + ticks });
});
afterAll(() => sandbox.close());
beforeEach(() => {
  ticks = 0;
  sandbox.reset();
});

const channel = 'C0DEPLOYS';
const section = (text: string) => ({ type: 'section', text: { type: 'mrkdwn', text } });
const modal = {
  type: 'modal',
  title: { type: 'plain_text', text: 'Reason' },
  blocks: [section('Why?')],
};

/** Calls a method and gives the answer, also of a refusal. */
async function call(method: string, args: Record<string, unknown> = {}, token?: string) {
  try {
    return await slackClient(sandbox, token).apiCall(method, args);
  } catch (error) {
    if (error instanceof Error && 'data' in error) {
      // The client puts the whole answer of a refusal here.
      return error.data as { ok: false; error: string; [name: string]: unknown };
    }
    throw error;
  }
}

async function post(text: string, more: Record<string, unknown> = {}): Promise<string> {
  const { ts } = await slackClient(sandbox).chat.postMessage({ channel, text, ...more });
  if (!ts) throw new Error('The post has no ts.');
  return ts;
}

/** A trigger_id, as an app gets it from a press. */
async function trigger(): Promise<string> {
  await using app = await startReceiver(() => ({ status: 200 }));
  sandbox.connectBot({ eventsUrl: app.url, intakeUrl: app.url });
  const button = { type: 'button', action_id: 'go', text: { type: 'plain_text', text: 'Go' } };
  const ts = await post('Press', { blocks: [{ type: 'actions', elements: [button] }] });
  await sandbox.workspace.click({ user: 'U0ANA', channel, ts, actionId: 'go' });
  return JSON.parse(new URLSearchParams(app.received[0]?.body).get('payload') ?? '').trigger_id;
}

describe('every method', () => {
  const working: Record<string, () => Promise<Record<string, unknown>>> = {
    'apps.connections.open': async () => ({}),
    'auth.test': async () => ({}),
    'chat.postMessage': async () => ({ channel, text: 'Hello' }),
    'chat.update': async () => ({ channel, ts: await post('Hello'), text: 'Bye' }),
    'chat.postEphemeral': async () => ({ channel, user: 'U0ANA', text: 'Psst' }),
    'chat.getPermalink': async () => ({ channel, message_ts: await post('Hello') }),
    'conversations.open': async () => ({ users: 'U0ANA' }),
    'conversations.members': async () => ({ channel }),
    'conversations.history': async () => ({ channel }),
    'conversations.replies': async () => ({ channel, ts: await post('Hello') }),
    'users.info': async () => ({ user: 'U0ANA' }),
    'users.lookupByEmail': async () => ({ email: 'ANA@example.com' }),
    'usergroups.users.list': async () => ({ usergroup: 'S0REL' }),
    'views.open': async () => ({ trigger_id: await trigger(), view: modal }),
    'views.update': async () => {
      const opened = await call('views.open', { trigger_id: await trigger(), view: modal });
      return { view_id: (opened as { view?: { id: string } }).view?.id, view: modal };
    },
    'views.publish': async () => ({
      user_id: 'U0ANA',
      view: { type: 'home', blocks: [section('Home')] },
    }),
  };

  it('has a call here that works', () => {
    expect(Object.keys(working).sort()).toEqual(Object.keys(webMethods).sort());
  });

  it.each(Object.entries(working))('%s is answered', async (method, args) => {
    const token = webMethods[method]?.token === 'app' ? sandbox.credentials.appToken : undefined;
    expect(await call(method, await args(), token)).toMatchObject({ ok: true });
  });

  it.each(Object.keys(webMethods))('%s wants a valid token', async (method) => {
    const bare = await fetch(sandbox.slackApiUrl + method, { method: 'POST' });
    expect(bare.status).toBe(200);
    expect(await bare.json()).toEqual({ ok: false, error: 'not_authed' });
    expect(await call(method, {}, 'xoxb-other')).toMatchObject({ error: 'invalid_auth' });
  });

  it.each(
    Object.entries(webMethods).flatMap(([method, { required }]) =>
      (required ?? []).map((name) => [method, name] as const),
    ),
  )('%s without %s is refused', async (method, name) => {
    const given = await working[method]?.();
    const answer = await call(method, { ...given, [name]: undefined });
    expect(answer).toMatchObject({
      error: 'invalid_arguments',
      errors: [`missing required field: ${name}`],
    });
  });

  it.each(
    Object.entries(webMethods).flatMap(([method, { scope }]) => (scope ? [[method, scope]] : [])),
  )('%s without the scope %s is refused', async (method, scope) => {
    await using bare = await startSandbox({ scopes: ['commands'] });
    await expect(slackClient(bare).apiCall(method ?? '')).rejects.toMatchObject({
      data: { error: 'missing_scope', needed: scope, provided: 'commands' },
    });
  });
});

describe('the Web API', () => {
  it('answers an unknown method with 200 and unknown_method', async () => {
    const url = `${sandbox.slackApiUrl}chat.postMassage`;
    const answer = await fetch(url, { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({ ok: false, error: 'unknown_method' });
    expect(await call('constructor')).toMatchObject({ error: 'unknown_method' });
  });

  it('takes JSON bodies and tokens in the body', async () => {
    const send = (type: string, body: string) =>
      fetch(`${sandbox.slackApiUrl}chat.postMessage`, {
        method: 'POST',
        headers: { 'content-type': type },
        body,
      }).then((answer) => answer.json());
    const token = sandbox.credentials.botToken;
    const given = { channel, text: 'One', blocks: [section('One')], token };
    expect(await send('application/json', JSON.stringify(given))).toMatchObject({ ok: true });
    const form = new URLSearchParams({ channel, text: 'Two', token }).toString();
    expect(await send('application/x-www-form-urlencoded', form)).toMatchObject({ ok: true });
    expect(await send('application/json', '{"a"')).toMatchObject({ error: 'invalid_json' });
    expect(await send('application/json', '[1]')).toMatchObject({ error: 'json_not_object' });
    expect(await send('text/plain', 'a')).toMatchObject({ error: 'invalid_post_type' });
  });

  it('records calls without tokens', async () => {
    await post('Hello');
    await call('chat.update', { channel, ts: '1.000001', text: 'Bye' });
    expect(sandbox.workspace.calls()).toMatchObject([
      { method: 'chat.postMessage', args: { channel, text: 'Hello' }, status: 200, ok: true },
      { method: 'chat.update', ok: false, error: 'message_not_found', at: startedAt },
    ]);
    const { botToken } = sandbox.credentials;
    expect(JSON.stringify(sandbox.workspace.calls())).not.toContain(botToken);
  });

  it('tells the granted scopes in a header', async () => {
    await using bare = await startSandbox({ scopes: ['commands', 'chat:write'] });
    const { response_metadata } = await slackClient(bare).auth.test();
    expect(response_metadata?.scopes).toEqual(['commands', 'chat:write']);
  });

  it('names the bot, its app and its team', async () => {
    expect(await call('auth.test')).toMatchObject({
      user_id: 'U0GATE',
      bot_id: 'B0GATE',
      team_id: 'T0ACME',
      team: 'Acme',
      url: `${sandbox.url}/`,
    });
  });
});

describe('chat', () => {
  it.each([
    ['C0NOBOT', 'not_in_channel'],
    ['C0OLD', 'is_archived'],
    ['C0SECURITY', 'channel_not_found'],
    ['C0NONE', 'channel_not_found'],
    ['U0NONE', 'channel_not_found'],
    ['U0DEL', 'channel_not_found'],
    ['U0BOTX', 'cannot_dm_bot'],
  ])('does not post to %s: %s', async (to, error) => {
    expect(await call('chat.postMessage', { channel: to, text: 'Hello' })).toMatchObject({ error });
  });

  it('posts with blocks, metadata and the ids that were left out', async () => {
    const metadata = { event_type: 'part', event_payload: { record: 'r1' } };
    const ts = await post('Hello', { blocks: [section('Hello *you*')], metadata });
    expect(sandbox.workspace.message(channel, ts)).toMatchObject({
      ts,
      user: 'U0GATE',
      bot_id: 'B0GATE',
      text: 'Hello',
      metadata,
      blocks: [{ type: 'section', block_id: expect.stringMatching(/.+/) }],
    });
  });

  it.each([
    [{ text: ' ' }, 'no_text'],
    [{ blocks: '[1' }, 'invalid_blocks_format'],
    [{ blocks: '{}' }, 'invalid_blocks_format'],
    [{ text: 'a'.repeat(40_001) }, 'msg_too_long'],
    [
      { blocks: Array.from({ length: 4 }, () => section('a'.repeat(2_600))) },
      'msg_blocks_too_long',
    ],
    [{ text: 'a', metadata: { event_type: 'x' } }, 'invalid_metadata_format'],
    [
      { text: 'a', metadata: { event_type: 'x', event_payload: { a: 'a'.repeat(16_000) } } },
      'metadata_too_large',
    ],
    [{ text: 'a', thread_ts: '1.000001' }, 'thread_not_found'],
  ])('refuses a post %#: %s', async (args, error) => {
    expect(await call('chat.postMessage', { channel, ...args })).toMatchObject({ error });
    expect(sandbox.workspace.messages(channel)).toEqual([]);
  });

  it('opens direct messages for a post to a person', async () => {
    const answer = await call('chat.postMessage', { channel: 'U0CLEO', text: 'Approved' });
    expect(answer).toMatchObject({ ok: true, channel: 'D0CLEO' });
    expect(sandbox.workspace.directMessages('U0CLEO')).toMatchObject([{ text: 'Approved' }]);
    expect(await call('conversations.open', { users: 'U0CLEO' })).toMatchObject({
      channel: { id: 'D0CLEO' },
    });
  });

  it('updates own messages only', async () => {
    const other = sandbox.workspace.say({ user: 'U0ANA', channel, text: 'Mine' });
    const update = (ts: string) => call('chat.update', { channel, ts, text: 'New' });
    expect(await update(other.ts)).toMatchObject({ error: 'cant_update_message' });
    expect(await update('1.000001')).toMatchObject({ error: 'message_not_found' });
    const long = { channel, ts: await post('Hello'), text: 'a'.repeat(4_001) };
    expect(await call('chat.update', long)).toMatchObject({ error: 'msg_too_long' });
  });

  it('updates nothing where the bot is no more, or where nobody can write any more', async () => {
    const ts = await post('Hello');
    const update = () => call('chat.update', { channel, ts, text: 'New' });
    sandbox.workspace.kickBot(channel);
    expect(await update()).toMatchObject({ error: 'cant_update_message' });
    sandbox.workspace.inviteBot(channel);
    expect(await update()).toMatchObject({ ok: true });
    sandbox.workspace.archive(channel);
    expect(await update()).toMatchObject({ error: 'is_inactive' });
  });

  it('removes the blocks when an update brings text alone, and keeps the metadata', async () => {
    const metadata = { event_type: 'part', event_payload: {} };
    const ts = await post('Hello', { blocks: [section('Hello')], metadata });
    await call('chat.update', { channel, ts, text: 'Bye' });
    const message = sandbox.workspace.message(channel, ts);
    expect(message).toMatchObject({ text: 'Bye', metadata, edited: { user: 'U0GATE' } });
    expect(message).not.toHaveProperty('blocks');
  });

  it('shows ephemeral words to one person in the channel', async () => {
    const say = (user: string) => call('chat.postEphemeral', { channel, user, text: 'Psst' });
    expect(await say('U0BOTX')).toMatchObject({ error: 'user_not_in_channel' });
    expect(await say('U0BEN')).toMatchObject({ ok: true });
    expect(sandbox.workspace.visibleTo('U0BEN', channel)).toMatchObject([{ text: 'Psst' }]);
    expect(sandbox.workspace.visibleTo('U0ANA', channel)).toEqual([]);
    expect(sandbox.workspace.visibleTo('U0BEN', 'C0OUTCOMES')).toEqual([]);
    expect(sandbox.workspace.ephemerals('U0BEN')).toMatchObject([{ channel, text: 'Psst' }]);
  });

  it('leaves a tombstone where a deleted message has replies', async () => {
    const ts = await post('Parent');
    const reply = await post('Reply', { thread_ts: ts });
    sandbox.workspace.deleteMessage(channel, ts);
    expect(sandbox.workspace.thread(channel, ts)).toMatchObject([
      { subtype: 'tombstone' },
      { ts: reply },
    ]);
    expect(await call('chat.update', { channel, ts, text: 'x' })).toMatchObject({
      error: 'message_not_found',
    });
    sandbox.workspace.deleteMessage(channel, reply);
    expect(sandbox.workspace.message(channel, reply)).toBeUndefined();
  });

  it('lets a burst of posts into a channel, then one per second', async () => {
    for (let count = 0; count < 5; count += 1) await post('Hello');
    const raw = () =>
      fetch(`${sandbox.slackApiUrl}chat.postMessage`, {
        method: 'POST',
        headers: { authorization: `Bearer ${sandbox.credentials.botToken}` },
        body: new URLSearchParams({ channel, text: 'More' }),
      });
    const refused = await raw();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    expect(await refused.json()).toEqual({ ok: false, error: 'ratelimited' });
    expect(await call('chat.postMessage', { channel: 'C0OUTCOMES', text: 'a' })).toMatchObject({
      ok: true,
    });
    await expect(post('More')).rejects.toMatchObject({ retryAfter: 1 });
    ticks = 1_000;
    expect((await raw()).status).toBe(200);
    expect((await raw()).status).toBe(429);
  });

  it('saves up no more than the burst', async () => {
    await post('First');
    ticks = 60_000;
    for (let count = 0; count < 5; count += 1) await post('Hello');
    await expect(post('More')).rejects.toMatchObject({ retryAfter: 1 });
  });
});

describe('conversations', () => {
  interface Page {
    readonly messages: readonly Record<string, unknown>[];
    readonly has_more: boolean;
    readonly response_metadata?: { readonly next_cursor?: string };
  }

  async function pages(method: string, args: Record<string, unknown>): Promise<string[][]> {
    const texts: string[][] = [];
    let cursor: string | undefined;
    do {
      // The shape is checked by what the test expects of the texts.
      const page = (await call(method, { channel, ...args, cursor })) as unknown as Page;
      texts.push(page.messages.map(({ text }) => String(text)));
      cursor = page.response_metadata?.next_cursor || undefined;
      expect(page.has_more).toBe(cursor !== undefined);
    } while (cursor);
    return texts;
  }

  async function posts(texts: string): Promise<string[]> {
    const made: string[] = [];
    for (const text of texts) {
      ticks += 1_000;
      made.push(await post(text));
    }
    return made;
  }

  it('gives the history newest first, in pages', async () => {
    await posts('abcde');
    expect(await pages('conversations.history', { limit: 2 })).toEqual([
      ['e', 'd'],
      ['c', 'b'],
      ['a'],
    ]);
  });

  it('keeps to the bounds, exclusive unless inclusive is set', async () => {
    const [, b, , d] = await posts('abcde');
    const range = { oldest: b, latest: d };
    expect(await pages('conversations.history', range)).toEqual([['c']]);
    const inclusive = { ...range, inclusive: true, limit: 2 };
    expect(await pages('conversations.history', inclusive)).toEqual([['d', 'c'], ['b']]);
  });

  it('keeps replies out of the history unless they are broadcast', async () => {
    const ts = await post('Parent');
    await post('Quiet', { thread_ts: ts });
    await post('Loud', { thread_ts: ts, reply_broadcast: true });
    expect(await pages('conversations.history', {})).toEqual([['Loud', 'Parent']]);
  });

  it('gives a thread oldest first behind its parent, in pages', async () => {
    const ts = await post('Parent');
    const replies: string[] = [];
    for (const text of 'abc') replies.push(await post(text, { thread_ts: ts }));
    expect(await pages('conversations.replies', { ts, limit: 2 })).toEqual([
      ['Parent', 'a'],
      ['b', 'c'],
    ]);
    const after = { ts, oldest: replies[1] };
    expect(await pages('conversations.replies', after)).toEqual([['Parent', 'c']]);
    expect(await call('conversations.replies', { channel, ts: '1.000001' })).toMatchObject({
      error: 'thread_not_found',
    });
  });

  it('puts a reply to a reply into the same thread', async () => {
    const ts = await post('Parent');
    const reply = await post('Reply', { thread_ts: ts });
    await post('More', { thread_ts: reply });
    expect(await pages('conversations.replies', { ts })).toEqual([['Parent', 'Reply', 'More']]);
  });

  it('forgets what was deleted', async () => {
    const [a, b] = await posts('abc');
    const reply = await post('Reply', { thread_ts: a });
    await post('More', { thread_ts: a });
    for (const ts of [b ?? '', reply]) sandbox.workspace.deleteMessage(channel, ts);
    expect(await pages('conversations.history', { limit: 1 })).toEqual([['c'], ['a']]);
    expect(await call('conversations.replies', { channel, ts: a })).toMatchObject({
      messages: [{ text: 'a', reply_count: 1 }, { text: 'More' }],
    });
  });

  it('gives metadata only when it is asked for', async () => {
    const metadata = { event_type: 'part', event_payload: { record: 'r1' } };
    const ts = await post('Hello', { metadata });
    const plain = await call('conversations.history', { channel });
    expect(JSON.stringify(plain)).not.toContain('r1');
    for (const method of ['conversations.history', 'conversations.replies']) {
      const full = await call(method, { channel, ts, include_all_metadata: true });
      expect(full).toMatchObject({ messages: [{ metadata }] });
    }
  });

  it.each([
    ['conversations.history', { channel: 'C0NOBOT' }, 'not_in_channel'],
    ['conversations.history', { channel: 'C0NONE' }, 'channel_not_found'],
    ['conversations.history', { channel, cursor: 'eA==' }, 'invalid_cursor'],
    ['conversations.history', { channel, oldest: 'soon' }, 'invalid_ts_oldest'],
    ['conversations.members', { channel, limit: 0 }, 'invalid_limit'],
    ['conversations.open', {}, 'users_list_not_supplied'],
    ['conversations.open', { users: 'U0DEL' }, 'user_disabled'],
    ['conversations.open', { users: 'U0NONE' }, 'user_not_found'],
    ['conversations.members', { channel: 'D0ANA' }, 'channel_not_found'],
    ['conversations.members', { channel: 'C0SECURITY' }, 'channel_not_found'],
    ['conversations.history', { channel: 'C0SECURITY' }, 'channel_not_found'],
  ])('%s with %j is refused', async (method, args, error) => {
    expect(await call(method, args)).toMatchObject({ error });
  });

  it('needs the scope of the channel’s kind', async () => {
    await using bare = await startSandbox({
      scopes: ['channels:read', 'channels:history', 'im:write'],
    });
    await slackClient(bare).conversations.open({ users: 'U0ANA' });
    bare.workspace.inviteBot('C0SECURITY');
    const refused = (method: string, channel: string) =>
      expect(slackClient(bare).apiCall(method, { channel })).rejects;
    const lacking = (needed: string) => ({ data: { error: 'missing_scope', needed } });
    await refused('conversations.members', 'D0ANA').toMatchObject(lacking('im:read'));
    await refused('conversations.history', 'D0ANA').toMatchObject(lacking('im:history'));
    await refused('conversations.members', 'C0SECURITY').toMatchObject(lacking('groups:read'));
    await refused('conversations.history', 'C0SECURITY').toMatchObject(lacking('groups:history'));
  });

  it('shows a private channel to a bot that was let in, and no longer when it is out', async () => {
    const there = { channel: 'C0SECURITY' };
    sandbox.workspace.inviteBot('C0SECURITY');
    const ts = await post('Psst', there);
    expect(await call('conversations.members', there)).toMatchObject({
      members: ['U0ANA', 'U0BEN', 'U0DANA', 'U0GATE'],
    });
    expect(await call('conversations.history', there)).toMatchObject({ messages: [{ ts }] });
    sandbox.workspace.kickBot('C0SECURITY');
    for (const [method, args] of [
      ['conversations.history', {}],
      ['chat.postMessage', { text: 'Psst' }],
      ['chat.update', { ts, text: 'Psst' }],
      ['chat.getPermalink', { message_ts: ts }],
    ] as const) {
      expect(await call(method, { ...there, ...args })).toMatchObject({
        error: 'channel_not_found',
      });
    }
  });

  it('pages through members', async () => {
    const members: string[] = [];
    for await (const page of slackClient(sandbox).paginate('conversations.members', {
      channel,
      limit: 4,
    })) {
      // The pages of this method hold ids.
      members.push(...(page as unknown as { members: string[] }).members);
    }
    expect(members).toHaveLength(9);
    expect(new Set(members)).toContain('U0STR');
    expect(members).not.toContain('U0DEL');
  });
});

describe('people', () => {
  it.each([
    ['U0ANA', { deleted: false, is_restricted: false, is_email_confirmed: true }],
    ['U0DANA', { is_admin: true }],
    ['U0GUS', { is_restricted: true, is_ultra_restricted: true }],
    ['U0DEL', { deleted: true }],
    ['U0STR', { is_stranger: true, team_id: 'T0OTHER' }],
    ['U0BOTX', { is_bot: true }],
  ])('shows what %s is', async (user, facts) => {
    expect(await call('users.info', { user })).toMatchObject({ user: facts });
  });

  it('hides addresses without users:read.email', async () => {
    await using bare = await startSandbox({ scopes: ['users:read'] });
    const { user } = await slackClient(bare).users.info({ user: 'U0ANA' });
    expect(user?.profile).not.toHaveProperty('email');
  });

  it('finds nobody by an unknown address or a deactivated person’s', async () => {
    for (const email of ['nobody@example.com', 'della@example.com']) {
      expect(await call('users.lookupByEmail', { email })).toMatchObject({
        error: 'users_not_found',
      });
    }
  });

  it('changes a person', async () => {
    sandbox.workspace.setUser('U0ANA', { profile: { email: 'ana.r@example.com' }, deleted: false });
    expect(await call('users.lookupByEmail', { email: 'ana.r@example.com' })).toMatchObject({
      user: { id: 'U0ANA', profile: { display_name: 'Ana' } },
    });
    expect(await call('users.lookupByEmail', { email: 'ana@example.com' })).toMatchObject({
      error: 'users_not_found',
    });
  });

  it('lists the people of a user group, of one that is switched off only when asked', async () => {
    const users = { usergroup: 'S0REL' };
    const list = { users: ['U0ANA', 'U0BEN'] };
    expect(await call('usergroups.users.list', users)).toMatchObject(list);
    sandbox.workspace.setUserGroup('S0REL', { enabled: false });
    expect(await call('usergroups.users.list', users)).toMatchObject({ error: 'no_such_subteam' });
    const all = { ...users, include_disabled: true };
    expect(await call('usergroups.users.list', all)).toMatchObject(list);
  });
});

describe('views', () => {
  it('opens with a trigger once', async () => {
    const trigger_id = await trigger();
    const open = () => call('views.open', { trigger_id, view: modal });
    expect(await open()).toMatchObject({ ok: true });
    expect(sandbox.workspace.modal('U0ANA')).toMatchObject({ type: 'modal' });
    expect(await open()).toMatchObject({ error: 'exchanged_trigger_id' });
  });

  it('refuses a trigger after three seconds, and one that never was', async () => {
    const trigger_id = await trigger();
    ticks = 3_000;
    expect(await call('views.open', { trigger_id, view: modal })).toMatchObject({
      error: 'expired_trigger_id',
    });
    expect(await call('views.open', { trigger_id: '1.2', view: modal })).toMatchObject({
      error: 'invalid_trigger_id',
    });
  });

  it('updates by hash, and not by an old one', async () => {
    const opened = await call('views.open', { trigger_id: await trigger(), view: modal });
    // The answer of views.open holds the view.
    const { id, hash } = (opened as unknown as { view: { id: string; hash: string } }).view;
    const update = () => call('views.update', { view_id: id, hash, view: modal });
    expect(await update()).toMatchObject({ ok: true, view: { id } });
    expect(await update()).toMatchObject({ error: 'hash_conflict' });
    expect(await call('views.update', { view_id: 'V0', view: modal })).toMatchObject({
      error: 'not_found',
    });
  });

  it('names what is wrong with a view', async () => {
    const view = { ...modal, title: { type: 'plain_text', text: 'a'.repeat(25) } };
    const answer = await call('views.open', { trigger_id: await trigger(), view });
    expect(answer).toMatchObject({
      error: 'invalid_arguments',
      errors: ['must be less than 25 characters [json-pointer:/view/title/text]'],
    });
  });

  it('opens modals alone', async () => {
    const view = { type: 'home', blocks: [section('Home')] };
    expect(await call('views.open', { trigger_id: await trigger(), view })).toMatchObject({
      errors: ['must be another type of view [json-pointer:/view]'],
    });
  });

  it('publishes a home tab', async () => {
    const view = { type: 'home', blocks: [section('Home')] };
    expect(await call('views.publish', { user_id: 'U0BEN', view })).toMatchObject({
      view: { type: 'home', blocks: [{ type: 'section' }] },
    });
    expect(await call('views.publish', { user_id: 'U0BEN', view, hash: 'old' })).toMatchObject({
      error: 'hash_conflict',
    });
  });
});
