import { afterEach, expect, it } from 'vitest';
import { startAppWorld } from '../app-world.ts';
import { callSlack, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();

/** An organization with two workspaces has installed the app. */
const installedIn = [
  { id: 'T0ACME', name: 'Acme' },
  { id: 'T0SISTER', name: 'Sister' },
];
const worlds: AsyncDisposable[] = [];
async function organization() {
  const world = await startAppWorld({
    enterprise: { id: 'E0ACME', name: 'Acme Group', installedIn },
  });
  worlds.push(world);
  return world.sandbox;
}
afterEach(async () => {
  for (const world of worlds.splice(0)) await world[Symbol.asyncDispose]();
});

proveMethods(live, {
  'auth.test': { works: () => ({}) },
  'auth.teams.list': {
    works: () => ({}),
    optional: {
      limit: async () =>
        expect(
          (await callSlack(await organization(), 'auth.teams.list', { limit: 1 })).teams,
        ).toEqual([{ id: 'T0ACME', name: 'Acme' }]),
      cursor: async () => {
        const sandbox = await organization();
        const first = await callSlack(sandbox, 'auth.teams.list', { limit: 1 });
        // The client returns the response unchecked.
        const { next_cursor: cursor } = first.response_metadata as { next_cursor: string };
        const second = await callSlack(sandbox, 'auth.teams.list', { limit: 1, cursor });
        expect(second.teams).toEqual([{ id: 'T0SISTER', name: 'Sister' }]);
      },
    },
    errors: { invalid_cursor: () => live.call('auth.teams.list', { cursor: 'eA==' }) },
  },
  'bots.info': {
    works: () => ({ bot: 'B0APP' }),
    optional: {
      bot: async () => {
        const { bot } = await live.call('bots.info', { bot: 'B0APP' });
        expect(bot).toMatchObject({
          id: 'B0APP',
          user_id: 'U0APP',
          app_id: 'A0APP',
          name: 'Tryout',
        });
      },
    },
    errors: { bot_not_found: () => live.call('bots.info', { bot: 'B0NONE' }) },
  },
  'team.info': {
    works: () => ({}),
    optional: {
      team: async () => {
        const { team } = await live.call('team.info', { team: 'T0ACME' });
        expect(team).toMatchObject({ id: 'T0ACME', name: 'Acme', domain: 'acme' });
      },
    },
    errors: { team_not_found: () => live.call('team.info', { team: 'T0NONE' }) },
  },
  'apps.connections.open': { works: () => ({}) },
});

it('auth.test names the bot, its app and its team', async () => {
  const answer = await live.call('auth.test');
  expect(answer).toMatchObject({
    user_id: 'U0APP',
    bot_id: 'B0APP',
    team_id: 'T0ACME',
    team: 'Acme',
    user: 'tryout',
    url: `${live.sandbox.url}/`,
    is_enterprise_install: false,
  });
  expect(answer).not.toHaveProperty('enterprise_id');
});

it('auth.test names the organization if there is one', async () => {
  await using other = await startAppWorld({ enterprise: { id: 'E0ACME', name: 'Acme Group' } });
  const answer = await callSlack(other.sandbox, 'auth.test');
  expect(answer).toMatchObject({ enterprise_id: 'E0ACME' });
});

it('auth.test names only the organization if the app is installed there', async () => {
  const answer = await callSlack(await organization(), 'auth.test');
  expect(answer).toMatchObject({
    team_id: 'E0ACME',
    enterprise_id: 'E0ACME',
    is_enterprise_install: true,
  });
});

it("an organization's token needs team_id for data of one workspace", async () => {
  const sandbox = await organization();
  sandbox.workspace.setUserGroup('S0REL', { teamId: 'T0SISTER' });
  const users = (more: object) =>
    callSlack(sandbox, 'usergroups.users.list', { usergroup: 'S0REL', ...more });
  for (const method of ['usergroups.list', 'users.list'])
    expect(await callSlack(sandbox, method)).toMatchObject({ error: 'missing_argument' });
  expect(await users({})).toMatchObject({ ok: false, error: 'missing_argument' });
  expect(await users({ team_id: 'T0ACME' })).toMatchObject({ error: 'no_such_subteam' });
  expect(await users({ team_id: 'T0SISTER' })).toMatchObject({ users: ['U0ANA', 'U0BEN'] });
  const sister = await callSlack(sandbox, 'users.list', { team_id: 'T0SISTER' });
  expect(sister).toMatchObject({ ok: true, members: [] });
});
