import { expect, it } from 'vitest';
import { system } from '../../../src/core/lib/system.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { askIdentity } from '../../../src/core/slack/identity.ts';
import { missingScopes } from '../../../src/core/slack/scopes.ts';
import { SlackStartError } from '../../../src/core/slack/slack-start-error.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import { type Answer, startFakeSlack, status } from './fake-slack.ts';
import { createLogSink } from './log-sink.ts';

const IDENTITY = { ok: true, user_id: 'UBOT', bot_id: 'B1', team_id: 'T1' };

/** Asks a stand-in for Slack who the bot is. */
async function asked(answer: Answer = () => IDENTITY) {
  await using slack = await startFakeSlack(answer);
  const { lines, logger } = createLogSink();
  const slept: number[] = [];
  const clock = { monotonic: () => slept.reduce((sum, ms) => sum + ms, 0) };
  const timers = { ...system.timers, sleep: async (ms: number) => void slept.push(ms) };
  const { lookup: client } = createWebClients(
    { botToken: 'xoxb-secret', apiUrl: slack.apiUrl, logger },
    { clock, timers, timing: TRUE_TIME },
  );
  const told = await askIdentity({ client, logger, timers }).catch((error: unknown) => error);
  return { told, slept, lines };
}

it('tells who the bot is and which scopes are missing', async () => {
  const { told } = await asked(() => (response) => {
    response.setHeader('x-oauth-scopes', 'chat:write, users:read');
    response.end(JSON.stringify({ ...IDENTITY, enterprise_id: 'E1' }));
  });
  const scopes = ['chat:write', 'users:read'];
  expect(told).toEqual({
    botUserId: 'UBOT',
    botId: 'B1',
    teamId: 'T1',
    workspaceUrl: null,
    enterpriseId: 'E1',
    isOfOrganisation: false,
    appId: null,
    scopes,
  });
  const missing = missingScopes(scopes);
  expect(missing).toContainEqual(['im:write', 'tell the requester the outcome']);
  expect(missing.filter(([scope]) => scopes.includes(scope))).toEqual([]);
});

it('tells no scopes when Slack does not say which it granted', async () => {
  expect((await asked()).told).toMatchObject({ scopes: null });
});

it('fails with a clear message when the token is wrong', async () => {
  const { told, slept } = await asked(() => ({ ok: false, error: 'invalid_auth' }));
  expect(told).toBeInstanceOf(SlackStartError);
  expect(told).toMatchObject({
    code: 'invalid_auth',
    message: 'Slack does not accept SLACK_BOT_TOKEN (invalid_auth)',
  });
  expect(slept).toEqual([]);
});

it('asks again while Slack is slow, limits or is away', async () => {
  const answers = [status(503), status(429, '', { 'retry-after': '7' }), IDENTITY];
  const { told, slept, lines } = await asked(() => answers.shift());
  expect(told).toMatchObject({ botUserId: 'UBOT' });
  expect(slept).toEqual([500, 7_000]);
  expect(lines).toMatchObject([{ code: 'http_503' }, { code: 'ratelimited' }]);
});

it('fails with a clear message when Slack does not answer for half a minute', async () => {
  const { told, slept } = await asked(() => status(503));
  expect(told).toMatchObject({ message: 'Slack could not be asked who the bot is (http_503)' });
  expect(slept).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
});

it('fails when a rate limit lasts longer than a start may take', async () => {
  const { told, slept } = await asked(() => status(429, '', { 'retry-after': '31' }));
  expect(told).toMatchObject({ message: 'Slack could not be asked who the bot is (ratelimited)' });
  expect(slept).toEqual([]);
});
