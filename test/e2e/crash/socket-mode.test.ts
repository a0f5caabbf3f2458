import { expect, vi } from 'vitest';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { botEnvironment } from '../../support/bot-config.ts';
import { PROGRAM } from '../../support/program.ts';
import { story } from '../story.ts';
import { runProgram } from './run-program.ts';
import { keepRecords, startStage } from './stage.ts';

story(
  'socket-refused',
  'a wrong token ends the start with code 1 and without the token',
  async () => {
    await using records = await keepRecords('embedded');
    await using sandbox = await startSandbox();
    const token = 'xapp-1-not-a-good-one';
    const env = botEnvironment(sandbox, { ...records.env, SLACK_APP_TOKEN: token });
    await using bot = runProgram([PROGRAM, 'start'], env);
    expect(await bot.ended).toBe(1);
    const said = bot.output.join('\n');
    expect(said).toContain('Slack does not accept SLACK_APP_TOKEN (invalid_auth)');
    expect(said).not.toContain(token);
  },
);

story('socket-refused', 'a token that is revoked ends the bot with code 1', async () => {
  await using stage = await startStage('embedded');
  const { workspace } = stage.sandbox;
  workspace.fault({ kind: 'refused', error: 'token_revoked', method: 'apps.connections.open' });
  workspace.sockets.drop();
  expect(await stage.bot.ended).toBe(1);
  const line = stage.bot.output.find((each) => each.includes('"cannot go on"'));
  expect(line).toContain('Slack does not accept SLACK_APP_TOKEN (token_revoked)');
});

story(
  'socket-broken no-click-lost',
  'a frame that makes the library fail is logged, and the bot continues',
  async () => {
    await using stage = await startStage('embedded');
    const { ts } = await stage.ask();
    stage.sandbox.workspace.sockets.send('null');
    const isLogged = () =>
      stage.bot.output.some((line) => line.includes('unhandled promise rejection'));
    await vi.waitUntil(isLogged, { timeout: 60_000 });
    expect(await stage.click('U0ANA', ts, 'Approve')).toMatchObject({ acknowledged: true });
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);
