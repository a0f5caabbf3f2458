import type { App } from '@slack/bolt';
import { expect, it } from 'vitest';
import { registerHandlers } from '../../../src/app/handlers.ts';
import { OUTDATED } from '../../../src/core/slack/boundary.ts';
import { createListeners } from '../../../src/core/slack/listeners.ts';
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
  await stage.app.init();
  const user = { id: 'U1', team_id: 'T1' };
  const team = { id: 'T1' };
  const { view } = submission('other');
  await stage.interact(click('one', undefined));
  await stage.command({ command: '/other' });
  await stage.interact(submission('one'));
  await stage.interact({ type: 'shortcut', user, team, callback_id: 'other' });
  const asked = { action_id: 'one', value: '', view };
  await stage.interact({ type: 'block_suggestion', user, team, ...asked });
  await stage.event({ type: 'event_callback', team_id: 'T1', event: { type: 'app_home_opened' } });
  expect(await stage.app.drain(2_000)).toBe(true);
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
  await stage.app.init();
  await stage.interact(click('toString', `${stage.slack.url}/respond`));
  expect(stage.told()).toEqual([['/respond', OUTDATED.action]]);
  expect(stage.sink.lines.map((line) => line.msg)).toEqual([
    'no listener for a request from Slack',
  ]);
});

it('lets Bolt call one listener for each kind, and one for each event of a feature', () => {
  const tried: string[] = [];
  const methods = ['action', 'command', 'event', 'options', 'shortcut', 'view'] as const;
  const told = methods.map((method) => [method, () => void tried.push(method)]);
  const app = fake<App>(Object.fromEntries(told));
  registerHandlers(createListeners(app), NOTHING);
  expect(tried.toSorted()).toEqual([
    'action',
    'command',
    ...Array.from({ length: 6 }, () => 'event'),
    'options',
    'shortcut',
    'view',
  ]);
});

it('tells the listener of a press the same as Bolt does', async () => {
  const seen: object[] = [];
  await using stage = await startStage((_, app) => {
    app.action('one', async (args) => {
      const { body, context, ack } = args;
      seen.push({ body: structuredClone(body), retryNum: context.retryNum });
      await ack();
    });
  });
  await stage.app.init();
  const acknowledged: string[] = [];
  const event = (way: string, retryNum?: number) => ({
    body: click('one', `${stage.slack.url}/respond`),
    ack: async () => void acknowledged.push(way),
    ...(retryNum !== undefined && { retryNum }),
  });
  for (const retryNum of [undefined, 2]) {
    await stage.app.bolt.processEvent(event('by Bolt', retryNum));
    await stage.app.listeners.press(event('past it', retryNum));
  }
  expect(acknowledged).toEqual(['by Bolt', 'past it', 'by Bolt', 'past it']);
  const [first, second, third, fourth] = seen;
  expect(second).toEqual(first);
  expect(fourth).toEqual(third);
  expect(third).toMatchObject({ retryNum: 2 });
});

it('leaves other requests and unknown presses to Bolt', async () => {
  await using stage = await startStage((_, app) => app.action('one', ({ ack }) => ack()));
  const ack = async () => {};
  expect(stage.app.listeners.press({ body: { type: 'view_submission' }, ack })).toBeUndefined();
  expect(stage.app.listeners.press({ body: click('two', undefined), ack })).toBeUndefined();
});
