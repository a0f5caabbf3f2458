import { expect, it } from 'vitest';
import { startAppWorld } from '../app-world.ts';
import { callSlack, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();

proveMethods(live, {
  'auth.test': { works: () => ({}) },
  'apps.connections.open': { works: () => ({}) },
});

it('names the bot, its app and its team', async () => {
  const answer = await live.call('auth.test');
  expect(answer).toMatchObject({
    user_id: 'U0GATE',
    bot_id: 'B0GATE',
    team_id: 'T0ACME',
    team: 'Acme',
    user: 'gatepost',
    url: `${live.sandbox.url}/`,
    is_enterprise_install: false,
  });
  expect(answer).not.toHaveProperty('enterprise_id');
});

it('names the organization where there is one', async () => {
  await using other = await startAppWorld({ enterprise: { id: 'E0ACME', name: 'Acme Group' } });
  const answer = await callSlack(other.sandbox, 'auth.test');
  expect(answer).toMatchObject({ enterprise_id: 'E0ACME' });
});
