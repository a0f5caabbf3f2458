import { describe, expect, it } from 'vitest';
import { startAppWorld } from '../app-world.ts';
import { callSlack, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call } = live;
const found = async (email: string) => call('users.lookupByEmail', { email });
const group = (more: object = {}) => call('usergroups.users.list', { usergroup: 'S0REL', ...more });
const groups = async (more: object = {}) => (await call('usergroups.list', { ...more })).usergroups;
const switchOff = () => live.sandbox.workspace.setUserGroup('S0REL', { enabled: false });

proveMethods(live, {
  'users.info': {
    works: () => ({ user: 'U0ANA' }),
    errors: { user_not_found: () => call('users.info', { user: 'U0NONE' }) },
  },
  'users.list': {
    works: () => ({}),
    optional: {
      limit: async () => expect((await call('users.list', { limit: 3 })).members).toHaveLength(3),
      cursor: async () => {
        const first = await call('users.list', { limit: 6 });
        // The client returns the response unchecked.
        const { next_cursor } = first.response_metadata as { next_cursor: string };
        const second = await call('users.list', { limit: 6, cursor: next_cursor });
        expect(second.response_metadata).toMatchObject({ next_cursor: '' });
        expect(second.members).toMatchObject([{}, {}, {}, { id: 'U0BOTX' }, { id: 'U0APP' }]);
      },
    },
    errors: { invalid_cursor: () => call('users.list', { cursor: 'eA==' }) },
  },
  'users.profile.get': {
    works: () => ({}),
    optional: {
      user: async () => {
        const { profile } = await call('users.profile.get', { user: 'U0ANA' });
        expect(profile).toMatchObject({ real_name: 'Ana Reyes', email: 'ana@example.com' });
      },
    },
    errors: { user_not_found: () => call('users.profile.get', { user: 'U0NONE' }) },
  },
  'users.lookupByEmail': {
    works: () => ({ email: 'ANA@example.com' }),
    errors: { users_not_found: () => found('nobody@example.com') },
  },
  'usergroups.list': {
    works: () => ({}),
    optional: {
      include_users: async () => {
        expect(await groups()).toMatchObject([{ id: 'S0REL', handle: 'release-managers' }]);
        expect(await groups()).not.toMatchObject([{ users: expect.anything() }]);
        const users = ['U0ANA', 'U0BEN'];
        expect(await groups({ include_users: true })).toMatchObject([{ users }]);
        live.sandbox.workspace.addUserGroup('S0SEC', 'security', ['U0BEN']);
        const security = { id: 'S0SEC', handle: 'security', users: ['U0BEN'] };
        expect(await groups({ include_users: true })).toMatchObject([{ users }, security]);
      },
      include_count: async () =>
        expect(await groups({ include_count: true })).toMatchObject([{ user_count: 2 }]),
      include_disabled: async () => {
        switchOff();
        expect(await groups()).toEqual([]);
        expect(await groups({ include_disabled: true })).toMatchObject([
          { id: 'S0REL', date_delete: expect.any(Number), deleted_by: 'U0DANA' },
        ]);
      },
    },
  },
  'usergroups.users.list': {
    works: () => ({ usergroup: 'S0REL' }),
    optional: {
      include_disabled: async () => {
        switchOff();
        expect(await group()).toMatchObject({ error: 'no_such_subteam' });
        const users = ['U0ANA', 'U0BEN'];
        expect(await group({ include_disabled: true })).toMatchObject({ users });
      },
    },
    errors: { no_such_subteam: () => group({ usergroup: 'S0NONE' }) },
  },
});

describe('people', () => {
  it.each([
    ['U0ANA', { is_restricted: false, profile: { email: 'ana@example.com' } }],
    ['U0GUS', { is_restricted: true, is_ultra_restricted: true }],
    ['U0DEL', { deleted: true }],
    ['U0STR', { is_stranger: true, team_id: 'T0OTHER' }],
    ['U0BOTX', { is_bot: true }],
  ])('are returned with their details: %s', async (user, facts) => {
    expect(await call('users.info', { user })).toMatchObject({ user: facts });
  });

  it('have no address without users:read.email', async () => {
    await using bare = await startAppWorld({ scopes: ['users:read'] });
    const { user } = await callSlack(bare.sandbox, 'users.info', { user: 'U0ANA' });
    expect(user).toMatchObject({ id: 'U0ANA' });
    expect(JSON.stringify(user)).not.toContain('ana@example.com');
    const { members } = await callSlack(bare.sandbox, 'users.list');
    expect(JSON.stringify(members)).not.toContain('@example.com');
  });

  it('who were deactivated are in the list, but in no channel, and not found by their address', async () => {
    live.sandbox.workspace.deactivate('U0ANA');
    const { members } = await call('users.list');
    expect(members).toContainEqual(expect.objectContaining({ id: 'U0ANA', deleted: true }));
    expect(await found('ana@example.com')).toMatchObject({ error: 'users_not_found' });
    const inChannel = await call('conversations.members', { channel: 'C0DEPLOYS' });
    expect(inChannel.members).not.toContain('U0ANA');
  });

  it('are found by their current address', async () => {
    live.sandbox.workspace.setUser('U0ANA', { profile: { email: 'ana.r@example.com' } });
    expect(await found('ana.r@example.com')).toMatchObject({ user: { id: 'U0ANA' } });
    expect(await found('ana@example.com')).toMatchObject({ error: 'users_not_found' });
  });
});
