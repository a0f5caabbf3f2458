import type { App, BlockAction } from '@slack/bolt';
import { expect, it } from 'vitest';
import { registerHandlers } from '../../../src/app/handlers.ts';
import { createListeners } from '../../../src/core/slack/bolt-app.ts';
import { type Boundary, OUTDATED } from '../../../src/core/slack/boundary.ts';
import type { ActionArgs } from '../../../src/core/slack/listeners.ts';
import { fake } from '../../support/fake.ts';
import { NOTHING } from '../../support/registered-listeners.ts';
import { click, startStage, submission } from './slack-stage.ts';

it('finds a listener by its kind and its id', async () => {
  const seen: string[] = [];
  const note =
    (word: string) =>
    async ({ ack }: { ack: () => Promise<void> }) => {
      seen.push(word);
      await ack();
    };
  await using stage = await startStage((_, app) => {
    for (const id of ['one', 'other']) {
      app.action(id, note(`action ${id}`));
      app.command(`/${id}`, note(`command ${id}`));
      app.view(id, note(`view ${id}`));
      app.shortcut(id, note(`shortcut ${id}`));
      app.options(id, note(`options ${id}`));
    }
    app.event('app_home_opened', async () => void seen.push('event'));
  });
  const user = { id: 'U1', team_id: 'T1' };
  const team = { id: 'T1' };
  const { view } = submission('other');
  await stage.interact(click('one', undefined));
  await stage.command({ command: '/other' });
  await stage.interact(submission('one'));
  await stage.interact({ type: 'shortcut', user, team, callback_id: 'other' });
  const asked = { action_id: 'one', value: '', view };
  await stage.interact({ type: 'block_suggestion', user, team, ...asked });
  await stage.event({
    type: 'event_callback',
    team_id: 'T1',
    event: { type: 'app_home_opened', user: 'U1' },
  });
  expect(await stage.app.boundary.drain(2_000)).toBe(true);
  expect(seen).toEqual([
    'action one',
    'command other',
    'view one',
    'shortcut other',
    'options one',
    'event',
  ]);
  expect(stage.sink.lines).toEqual([]);
});

it('does not acknowledge a request without a listener, but tells the person', async () => {
  await using stage = await startStage((_, app) => {
    app.action('one', ({ ack }) => ack());
  });
  await stage.interact(click('toString', `${stage.slack.url}/respond`));
  expect(stage.told()).toEqual([['/respond', OUTDATED.action]]);
  expect(stage.sink.lines.map((line) => line.msg)).toEqual([
    'no listener for a request from Slack',
  ]);
});

it('leaves only events to Bolt, which tries each of its listeners on every request', () => {
  const tried: string[] = [];
  const methods = ['action', 'command', 'event', 'options', 'shortcut', 'view'] as const;
  const told = methods.map((method) => [method, () => void tried.push(method)]);
  const app = fake<App>(Object.fromEntries(told));
  registerHandlers(createListeners(app, fake<Boundary>({})).listeners, NOTHING);
  expect(tried).toEqual(Array.from({ length: 6 }, () => 'event'));
});

it('passes on what Bolt passes to its own listeners', async () => {
  const seen: unknown[] = [];
  const note = async ({ body, payload, action, context, ack, respond }: ActionArgs) => {
    const { incoming, ...rest } = context;
    seen.push(structuredClone({ body, payload, action, rest }), typeof respond, typeof incoming);
    await ack();
  };
  await using stage = await startStage((bolt, app) => {
    app.action('ours', note);
    bolt.action<BlockAction>('Bolt', note);
  });
  for (const id of ['ours', 'Bolt']) {
    const retried = { headers: { 'x-slack-retry-num': '2', 'x-slack-retry-reason': 'timeout' } };
    await stage.interact(click(id, `${stage.slack.url}/respond`), retried);
  }
  const [ours, ...more] = seen.splice(0, 3);
  expect(ours).toMatchObject({
    action: { action_id: 'ours' },
    rest: { botUserId: 'UBOT', retryNum: 2, retryReason: 'timeout', sentAtMs: 1_800_000_000_000 },
  });
  expect(more).toEqual(['function', 'object']);
  expect(JSON.stringify(seen)).toBe(JSON.stringify([ours, ...more]).replaceAll('ours', 'Bolt'));
});
