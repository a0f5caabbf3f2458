import type { BlockAction } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { OUTDATED } from '../../../src/core/slack/boundary.ts';
import { click, startStage, submission } from './slack-stage.ts';

describe('a listener', () => {
  it('gets its own requests, with the id of the bot', async () => {
    const seen: unknown[] = [];
    await using stage = await startStage((bolt) => {
      bolt.action<BlockAction>('demo.go', async ({ ack, action, context, body }) => {
        await ack();
        seen.push([action.action_id, context.botUserId, body.user.id]);
      });
    });
    expect(await stage.interact(click('demo.go', undefined))).toEqual({ status: 200, text: '' });
    expect(seen).toEqual([['demo.go', 'UBOT', 'U1']]);
    expect(stage.told()).toEqual([]);
    expect(stage.sink.lines).toEqual([]);
  });

  it('of each kind gets only requests of its own kind', async () => {
    const seen: string[] = [];
    const note =
      (word: string) =>
      async ({ ack }: { ack: () => Promise<void> }) => {
        seen.push(word);
        await ack();
      };
    await using stage = await startStage((bolt) => {
      bolt.action('same', note('action'));
      bolt.command('/same', note('command'));
      bolt.view('same', note('view'));
      bolt.view({ callback_id: 'same', type: 'view_closed' }, note('view closed'));
      bolt.shortcut('same', note('shortcut'));
      bolt.options('same', note('options'));
      bolt.event('app_home_opened', async () => void seen.push('event'));
    });
    const user = { id: 'U1', team_id: 'T1' };
    const team = { id: 'T1' };
    await stage.interact(click('same', undefined));
    await stage.command({ command: '/same' });
    await stage.interact(submission('same'));
    await stage.interact({ type: 'view_closed', user, team, view: { callback_id: 'same' } });
    await stage.interact({ type: 'shortcut', user, team, callback_id: 'same' });
    const { view } = submission('same');
    const asked = { action_id: 'same', value: '', view };
    await stage.interact({ type: 'block_suggestion', user, team, ...asked });
    await stage.event({
      type: 'event_callback',
      team_id: 'T1',
      event: { type: 'app_home_opened', user: 'U1' },
    });
    expect(await stage.app.boundary.drain(2_000)).toBe(true);
    expect(seen).toEqual([
      'action',
      'command',
      'view',
      'view closed',
      'shortcut',
      'options',
      'event',
    ]);
    expect(stage.sink.lines).toEqual([]);
  });

  it('that acknowledges twice causes only a log entry', async () => {
    await using stage = await startStage((bolt) => {
      bolt.command('/twice', async ({ ack }) => {
        await ack('first');
        await ack('second');
      });
    });
    expect(await stage.command({ command: '/twice' })).toMatchObject({ text: 'first' });
    await stage.app.boundary.drain(2_000);
    expect(stage.sink.lines.map((line) => line.msg)).toEqual(['Acknowledged twice']);
  });

  it('that does not acknowledge is treated as missing, and the request is acknowledged', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', async () => {}));
    const answer = await stage.interact(click('demo.go', `${stage.slack.url}/respond`));
    expect(answer).toEqual({ status: 200, text: '' });
    expect(stage.told()).toEqual([['/respond', OUTDATED.action]]);
    expect(stage.sink.lines.map((line) => line.msg)).toEqual([
      'no listener for a request from Slack',
    ]);
  });
});
