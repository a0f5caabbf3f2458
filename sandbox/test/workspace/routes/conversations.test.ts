import { describe, expect, it } from 'vitest';
import { startAppWorld } from '../app-world.ts';
import { type Answer, callSlack, type Given, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call } = live;
const channel = 'C0DEPLOYS';
const opening = (users: string) => call('conversations.open', { users });
const names = (answer: Answer) =>
  // The client returns the response unchecked.
  (answer.channels as { name?: string; id: string }[]).map(({ name, id }) => name ?? id);
const listed = async (more: Given = {}) => names(await call('conversations.list', more));
const mine = async (more: Given = {}) => names(await call('users.conversations', more));

const members = (more: object) => call('conversations.members', { channel, ...more });

const creating = (name: string, more: Given = {}) =>
  call('conversations.create', { name, ...more });
const inviting = (users: string, more: Given = {}) =>
  call('conversations.invite', { channel, users, ...more });

proveMethods(live, {
  'conversations.create': {
    works: () => ({ name: 'incident-7' }),
    optional: {
      is_private: async () => {
        const { channel: made } = await creating('secret', { is_private: true });
        expect(made).toMatchObject({ name: 'secret', is_private: true, is_member: true });
      },
    },
    errors: {
      invalid_name_maxlength: () => creating('a'.repeat(81)),
      invalid_name_specials: () => creating('Incident 7'),
      name_taken: () => creating('deployments'),
    },
  },
  'conversations.invite': {
    works: () => ({ channel, users: 'U0BOTX' }),
    optional: {
      force: async () => {
        const answer = await inviting('U0NONE,U0BOTX', { force: true });
        expect(answer).toMatchObject({ ok: true, errors: [{ user: 'U0NONE' }] });
      },
    },
    errors: {
      already_in_channel: () => inviting('U0ANA'),
      cant_invite: () => inviting('U0DEL'),
      cant_invite_self: () => inviting('U0APP'),
      channel_not_found: () => inviting('U0ANA', { channel: 'C0NONE' }),
      is_archived: () => inviting('U0ANA', { channel: 'C0OLD' }),
      method_not_supported_for_channel_type: async () => {
        await opening('U0ANA');
        return inviting('U0BEN', { channel: 'D0ANA' });
      },
      not_in_channel: () => inviting('U0DANA', { channel: 'C0NOBOT' }),
      too_many_users: () => inviting(Array.from({ length: 101 }, (_, at) => `U${at}`).join(',')),
      user_not_found: () => inviting('U0NONE'),
    },
  },
  'conversations.open': {
    works: () => ({ users: 'U0ANA' }),
    optional: {
      users: async () => {
        expect(await opening('U0CLEO')).toEqual(
          expect.objectContaining({ channel: { id: 'D0CLEO' } }),
        );
        expect(await opening('U0CLEO')).toMatchObject({ no_op: true, already_open: true });
      },
      channel: async () => {
        await opening('U0CLEO');
        const again = await call('conversations.open', { channel: 'D0CLEO' });
        expect(again).toMatchObject({ channel: { id: 'D0CLEO' }, already_open: true });
      },
      return_im: async () => {
        const opened = await call('conversations.open', { users: 'U0ANA', return_im: true });
        expect(opened).toMatchObject({ channel: { id: 'D0ANA', is_im: true, user: 'U0ANA' } });
      },
    },
    errors: {
      channel_not_found: () => call('conversations.open', { channel: 'D0NONE' }),
      too_many_users: () => opening(Array.from({ length: 9 }, (_, at) => `U${at}`).join(',')),
      user_disabled: () => opening('U0DEL'),
      user_not_found: () => opening('U0NONE'),
      user_not_visible: () => opening('U0BOTX'),
      users_list_not_supplied: () => call('conversations.open'),
    },
  },
  'conversations.info': {
    works: () => ({ channel }),
    optional: {
      include_num_members: async () => {
        const plain = await call('conversations.info', { channel });
        expect(plain.channel).not.toHaveProperty('num_members');
        const counted = await call('conversations.info', { channel, include_num_members: true });
        expect(counted).toMatchObject({ channel: { num_members: 9 } });
      },
    },
    errors: { channel_not_found: () => call('conversations.info', { channel: 'C0SECURITY' }) },
  },
  'conversations.members': {
    works: () => ({ channel }),
    optional: {
      limit: async () => {
        expect((await members({ limit: 2 })).members).toEqual(['U0ANA', 'U0BEN']);
      },
      cursor: async () => {
        const found: unknown[] = [];
        let cursor: unknown = '';
        do {
          const page = await members({ limit: 4, cursor });
          found.push(page.members);
          // The client returns the response unchecked.
          cursor = (page.response_metadata as { next_cursor?: string }).next_cursor;
        } while (cursor);
        expect(found).toMatchObject([{ length: 4 }, { length: 4 }, ['U0APP']]);
        expect(new Set(found.flat()).size).toBe(9);
      },
    },
    errors: {
      channel_not_found: () => members({ channel: 'D0ANA' }),
      invalid_cursor: () => members({ cursor: 'eA==' }),
      invalid_limit: () => members({ limit: 0 }),
    },
  },
});

proveMethods(live, {
  'conversations.list': {
    works: () => ({}),
    optional: {
      types: async () => {
        expect(await listed()).toEqual(['deployments', 'releases', 'random', 'old-deployments']);
        live.sandbox.workspace.inviteBot('C0SECURITY');
        expect(await listed({ types: 'private_channel' })).toEqual(['security']);
        expect(await listed({ types: 'public_channel,private_channel' })).toHaveLength(5);
      },
      exclude_archived: async () => {
        expect(await listed({ exclude_archived: true })).not.toContain('old-deployments');
      },
      limit: async () => expect(await listed({ limit: 2 })).toEqual(['deployments', 'releases']),
      cursor: async () => {
        const first = await call('conversations.list', { limit: 3 });
        // The client returns the response unchecked.
        const { next_cursor: cursor } = first.response_metadata as { next_cursor: string };
        expect(await listed({ limit: 3, cursor })).toEqual(['old-deployments']);
      },
    },
    errors: {
      invalid_cursor: () => call('conversations.list', { cursor: 'eA==' }),
      invalid_limit: () => call('conversations.list', { limit: 0 }),
      invalid_types: () => call('conversations.list', { types: 'public' }),
    },
  },
  'users.conversations': {
    works: () => ({}),
    optional: {
      user: async () => {
        expect(await mine()).toEqual(['deployments', 'releases', 'old-deployments']);
        expect(await mine({ user: 'U0STR' })).toEqual(['deployments']);
      },
      types: async () => {
        expect(await mine({ types: 'private_channel' })).toEqual([]);
      },
      exclude_archived: async () => {
        expect(await mine({ exclude_archived: true })).toEqual(['deployments', 'releases']);
      },
      limit: async () => expect(await mine({ limit: 1 })).toEqual(['deployments']),
      cursor: async () => {
        const first = await call('users.conversations', { limit: 2 });
        // The client returns the response unchecked.
        const { next_cursor: cursor } = first.response_metadata as { next_cursor: string };
        expect(await mine({ limit: 2, cursor })).toEqual(['old-deployments']);
      },
    },
    errors: {
      invalid_cursor: () => call('users.conversations', { cursor: 'eA==' }),
      invalid_limit: () => call('users.conversations', { limit: 0 }),
      invalid_types: () => call('users.conversations', { types: 'public' }),
    },
  },
  'conversations.join': {
    works: () => ({ channel: 'C0NOBOT' }),
    errors: {
      channel_not_found: () => call('conversations.join', { channel: 'C0SECURITY' }),
      is_archived: () => call('conversations.join', { channel: 'C0OLD' }),
      method_not_supported_for_channel_type: async () => {
        await opening('U0ANA');
        return call('conversations.join', { channel: 'D0ANA' });
      },
    },
  },
});

describe('conversations', () => {
  it('can be joined by the app, which gets an event', async () => {
    const joined = await call('conversations.join', { channel: 'C0NOBOT' });
    expect(joined).toMatchObject({ channel: { id: 'C0NOBOT', is_member: true } });
    expect(live.sandbox.workspace.events('member_joined_channel')).toMatchObject([
      { event: { user: 'U0APP', channel: 'C0NOBOT' } },
    ]);
    const again = await call('conversations.join', { channel: 'C0NOBOT' });
    expect(again).toMatchObject({ ok: true, warning: 'already_in_channel' });
  });

  it('are found by their name in a post', async () => {
    for (const name of ['releases', '#releases']) {
      const posted = await call('chat.postMessage', { channel: name, text: 'Hello' });
      expect(posted).toMatchObject({ channel: 'C0OUTCOMES' });
    }
  });

  it('return their details', async () => {
    const info = async (id: string) => (await call('conversations.info', { channel: id })).channel;
    live.sandbox.workspace.inviteBot('C0SECURITY');
    await opening('U0ANA');
    expect(await info('C0NOBOT')).toMatchObject({
      name: 'random',
      is_member: false,
      is_private: false,
    });
    expect(await info('C0OLD')).toMatchObject({ is_archived: true, is_member: true });
    expect(await info('C0SECURITY')).toMatchObject({ is_private: true, is_member: true });
    expect(await call('conversations.info', { channel: 'D0ANA' })).toMatchObject({
      error: 'missing_scope',
      needed: 'im:read',
    });
  });

  it.each([
    ['C0DEPLOYS', 'conversations.members', 'channels:read'],
    ['C0SECURITY', 'conversations.members', 'groups:read'],
    ['C0DEPLOYS', 'conversations.history', 'channels:history'],
    ['C0SECURITY', 'conversations.replies', 'groups:history'],
    ['D0ANA', 'conversations.history', 'im:history'],
    ['D0ANA', 'conversations.members', 'im:read'],
  ])('like %s are shown by %s to apps with %s', async (id, method, needed) => {
    await using bare = await startAppWorld({ scopes: ['im:write'] });
    bare.sandbox.workspace.inviteBot('C0SECURITY');
    await callSlack(bare.sandbox, 'conversations.open', { users: 'U0ANA' });
    const given = { channel: id, ...(method === 'conversations.replies' && { ts: '1.1' }) };
    const refused = { error: 'missing_scope', needed, provided: 'im:write' };
    expect(await callSlack(bare.sandbox, method, given)).toMatchObject(refused);
  });

  it('with several people need mpim:write', async () => {
    expect(await opening('U0ANA,U0BEN')).toMatchObject({ needed: 'mpim:write' });
    await using able = await startAppWorld({ scopes: ['im:write', 'mpim:write'] });
    const opened = await callSlack(able.sandbox, 'conversations.open', { users: 'U0ANA,U0BEN' });
    expect(opened).toMatchObject({
      errors: ['the sandbox does not imitate group direct messages'],
    });
  });
});
