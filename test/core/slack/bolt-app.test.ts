import type { BlockAction } from '@slack/bolt';
import { describe, expect, it } from 'vitest';
import { OUTDATED } from '../../../src/core/slack/boundary.ts';
import { SlackStartError } from '../../../src/core/slack/slack-start-error.ts';
import { status } from './fake-slack.ts';
import { click, IDENTITY, startStage, submission } from './slack-stage.ts';

describe('a listener', () => {
  it('gets its own requests, with the id of the bot', async () => {
    const seen: unknown[] = [];
    await using stage = await startStage((bolt) => {
      bolt.action<BlockAction>('demo.go', async ({ ack, action, context, body }) => {
        await ack();
        seen.push([action.action_id, context.botUserId, body.user.id]);
      });
    });
    await stage.app.init();
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
    await stage.app.init();
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
      event: { type: 'app_home_opened' },
    });
    expect(await stage.app.drain(2_000)).toBe(true);
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
    await stage.app.init();
    expect(await stage.command({ command: '/twice' })).toMatchObject({ text: 'first' });
    await stage.app.drain(2_000);
    expect(stage.sink.lines.map((line) => line.msg)).toEqual(['Acknowledged twice']);
  });

  it('that does not acknowledge is treated as missing, and the request is acknowledged', async () => {
    await using stage = await startStage((bolt) => bolt.action('demo.go', async () => {}));
    await stage.app.init();
    const answer = await stage.interact(click('demo.go', `${stage.slack.url}/respond`));
    expect(answer).toEqual({ status: 200, text: '' });
    expect(stage.told()).toEqual([['/respond', OUTDATED.action]]);
    expect(stage.sink.lines.map((line) => line.msg)).toEqual([
      'no listener for a request from Slack',
    ]);
  });
});

describe('the start', () => {
  it('learns who the bot is and which scopes are missing', async () => {
    await using stage = await startStage(undefined, () => (response) => {
      response.setHeader('x-oauth-scopes', 'chat:write, users:read');
      response.end(JSON.stringify({ ...IDENTITY, enterprise_id: 'E1' }));
    });
    expect(stage.app.missingScopes(['chat:write'])).toEqual([]);
    expect(await stage.app.init()).toEqual({
      botUserId: 'UBOT',
      botId: 'B1',
      teamId: 'T1',
      workspaceUrl: null,
      enterpriseId: 'E1',
      isOfOrganisation: false,
      appId: null,
      scopes: ['chat:write', 'users:read'],
    });
    expect(stage.app.missingScopes(['chat:write', 'im:write'])).toEqual(['im:write']);
  });

  it('reports no missing scope when Slack does not say which it granted', async () => {
    await using stage = await startStage();
    expect((await stage.app.init()).scopes).toBeNull();
    expect(stage.app.missingScopes(['chat:write'])).toEqual([]);
  });

  it('fails with a clear message when the token is wrong', async () => {
    await using stage = await startStage(undefined, () => ({ ok: false, error: 'invalid_auth' }));
    const failure = await stage.app.init().catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SlackStartError);
    expect(failure).toMatchObject({
      code: 'invalid_auth',
      message: 'Slack does not accept SLACK_BOT_TOKEN (invalid_auth)',
    });
    expect(stage.slept).toEqual([]);
  });

  it('tries again while Slack is slow, limits or is away', async () => {
    const answers = [status(503), status(429, '', { 'retry-after': '7' }), IDENTITY];
    await using stage = await startStage(undefined, () => answers.shift());
    expect(await stage.app.init()).toMatchObject({ botUserId: 'UBOT' });
    expect(stage.slept).toEqual([500, 7_000]);
    expect(stage.sink.lines).toMatchObject([{ code: 'http_503' }, { code: 'ratelimited' }]);
  });

  it('fails with a clear message when Slack does not answer for half a minute', async () => {
    await using stage = await startStage(undefined, () => status(503));
    await expect(stage.app.init()).rejects.toThrow(
      'Slack could not be asked who the bot is (http_503)',
    );
    expect(stage.slept).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
  });

  it('fails when a rate limit lasts longer than a start may take', async () => {
    await using stage = await startStage(undefined, () => status(429, '', { 'retry-after': '31' }));
    await expect(stage.app.init()).rejects.toThrow(
      'Slack could not be asked who the bot is (ratelimited)',
    );
    expect(stage.slept).toEqual([]);
  });
});
