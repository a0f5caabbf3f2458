import { describe, expect, it } from 'vitest';
import { startAppWorld } from '../app-world.ts';
import { callSlack, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call } = live;
const channel = 'C0DEPLOYS';
const opening = (users: string) => call('conversations.open', { users });
const members = (more: object) => call('conversations.members', { channel, ...more });

proveMethods(live, {
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
          // The client gives what came.
          cursor = (page.response_metadata as { next_cursor?: string }).next_cursor;
        } while (cursor);
        expect(found).toMatchObject([{ length: 4 }, { length: 4 }, ['U0GATE']]);
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

describe('conversations', () => {
  it('tell of themselves', async () => {
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
  ])('of the kind of %s are shown by %s to apps with %s', async (id, method, needed) => {
    await using bare = await startAppWorld({ scopes: ['im:write'] });
    bare.sandbox.workspace.inviteBot('C0SECURITY');
    await callSlack(bare.sandbox, 'conversations.open', { users: 'U0ANA' });
    const given = { channel: id, ...(method === 'conversations.replies' && { ts: '1.1' }) };
    const refused = { error: 'missing_scope', needed, provided: 'im:write' };
    expect(await callSlack(bare.sandbox, method, given)).toMatchObject(refused);
  });

  it('of several people are for apps with mpim:write', async () => {
    expect(await opening('U0ANA,U0BEN')).toMatchObject({ needed: 'mpim:write' });
  });
});
