import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../../support/free-port.ts';
import { hasPty, type Pty, startPty } from '../../support/pty.ts';
import { CHANNEL, type SetupStage, startSetupStage } from './setup-stage.ts';

/** `gatepost setup` as a person sees it, in a terminal of its own. */

const inTerminal = describe.runIf(hasPty || process.env.CI === 'true');
if (!hasPty)
  console.warn('WARNING: no `script` of util-linux: gatepost setup is not tried in a terminal.');

let stage: SetupStage;
beforeEach(async () => {
  stage = await startSetupStage();
});
afterEach(() => stage[Symbol.asyncDispose]());

/** Without replies in threads. */
const messages = () =>
  stage.sandbox.workspace.messages(CHANNEL).filter((message) => message.thread_ts === undefined);

/** From the question about the invitation to the end. */
async function toTheEnd(pty: Pty) {
  await pty.see(/first request is in Slack: http\S+\/p\d+/);
  await stage.press('Approve');
  await pty.see(/Approved by Ana\./);
  expect(await pty.ended).toBe(0);
}

inTerminal('from an empty folder', () => {
  test('one command, two pastes and one invitation lead to the first approval', async () => {
    const pty = stage.setup();
    const tokens = await stage.untilInvitation(pty);
    stage.sandbox.workspace.inviteBot(CHANNEL, 'U0ANA');
    await pty.see(/Ana invited Gatepost to #deployments\. Ask there, .*\[Y\/n\]/);
    pty.type('\r');
    await toTheEnd(pty);

    expect(await stage.settings()).toEqual({
      SLACK_BOT_TOKEN: tokens.bot,
      SLACK_MODE: 'socket',
      SLACK_APP_TOKEN: tokens.app,
      GATEPOST_KEYS: expect.stringMatching(/^k\w+:/),
      GATEPOST_INTAKE_SECRET: expect.stringMatching(/^[\w-]{32}$/),
      GATEPOST_CHANNEL: CHANNEL,
      GATEPOST_REVIEWERS: 'U0ANA',
      GATEPOST_ADMINISTRATORS: 'U0ANA',
    });
    expect((await stat(join(stage.folder, '.env'))).mode & 0o777).toBe(0o600);
    expect((await readdir(stage.folder)).sort()).toEqual(['.env', 'data', 'slack-app.json']);
    // Neither what was typed nor what was made is shown, and the message shows the outcome.
    const { GATEPOST_KEYS = '', GATEPOST_INTAKE_SECRET = '' } = (await stage.settings()) ?? {};
    for (const secret of [tokens.bot, tokens.app, GATEPOST_KEYS, GATEPOST_INTAKE_SECRET]) {
      expect(pty.shown).not.toContain(secret);
    }
    expect(messages()).toMatchObject([{ text: expect.stringMatching(/^Approved: /) }]);
    expect(JSON.stringify(messages())).not.toContain('not known');
    expect(pty.shown).toContain('gatepost start');

    // The bot goes on with the same file.
    await using bot = stage.start();
    expect(JSON.parse(await bot.line(/"msg":"(ready|not yet)/))).toMatchObject({ msg: 'ready' });
  });

  test('both tokens can be pasted at once, and are not shown', async () => {
    const pty = stage.setup();
    const { bot, app } = await stage.create(pty);
    pty.type(`${bot}\r${app}\r`);
    await pty.see(/Waiting/);
    expect(pty.shown).not.toContain(bot);
    expect(pty.shown).not.toContain(app);
  });

  test('the guest who invites, the archived and the shared channel are refused, and it goes on', async () => {
    const { workspace } = stage.sandbox;
    const pty = stage.setup();
    await stage.untilInvitation(pty);
    workspace.share('C0OUTCOMES');
    workspace.inviteBot('C0OUTCOMES', 'U0ANA');
    await pty.see(/#releases is shared with another company, whose people would see every request/);
    workspace.inviteBot('C0OLD', 'U0ANA');
    await pty.see(/#old-deployments is archived, so nobody can decide there/);
    workspace.inviteBot(CHANNEL, 'U0GUS');
    await pty.see(/Gus is a guest in Slack and cannot decide\. Ask there, with somebody else .*\]/);
    pty.type('y\r');
    await pty.see(/Who decides in #deployments\?/);
    pty.type('Nobody Here\r');
    await pty.see(/Nobody here is called Nobody Here\./);
    pty.type('stan@partner.example\r');
    await pty.see(/Stan is from another workspace and cannot decide\./);
    pty.type('ana@example.com, Ben Okafor\r');
    await pty.see(/first request/);
    expect(await stage.settings()).toMatchObject({ GATEPOST_REVIEWERS: 'U0ANA,U0BEN' });
  });

  test('a link that is too long is a file to paste', async () => {
    const pty = stage.setup(`--http https://bot.example.com/${'a'.repeat(1_000)}`);
    await pty.see(/The link would have \d+ characters, which is too long to open/);
    await pty.see(/From a manifest at http\S+\/apps, and paste \S+\/slack-app\.json\./);
    const file = await readFile(join(stage.folder, 'slack-app.json'), 'utf8');
    stage.sandbox.workspace.app.install(file);
    expect(stage.sandbox.workspace.manifest.appName).toBe('Gatepost');
  });

  test('with --print a link that is too long names the command that prints what to paste', async () => {
    const address = `https://bot.example.com/${'a'.repeat(3_000)}`;
    const pty = stage.setup(`--http ${address} --features approvals --print`);
    await pty.see(/paste what gatepost manifest --url https:\S+a --features approvals prints\./);
  });

  test('--channel and --reviewers skip the question, --print writes nothing', async () => {
    const pty = stage.setup(
      `--channel #deployments --reviewers ana@example.com --print --features approvals`,
    );
    await stage.untilInvitation(pty);
    stage.sandbox.workspace.inviteBot('C0OUTCOMES', 'U0BEN');
    await pty.see(/Ben invited Gatepost to #releases\./);
    stage.sandbox.workspace.inviteBot(CHANNEL, 'U0BEN');
    // Printed before anything waits for a decision.
    await pty.see(/GATEPOST_REVIEWERS=U0ANA/);
    await toTheEnd(pty);
    expect(await stage.settings()).toBeNull();
    expect(stage.sandbox.workspace.manifest.commands.map(({ command }) => command)).toEqual([
      '/approvals',
    ]);
  });

  test('over HTTP it takes the signing secret, looks for the channel, and listens on PORT', async () => {
    const port = await freePort();
    const pty = stage.setup('--http https://bot.example.com', {
      PORT: `${port}`,
      HOST: '127.0.0.1',
    });
    const { bot, secret } = await stage.create(pty);
    pty.type(`${bot}\r`);
    await pty.see(/Signing secret/);
    pty.type(`${bot}\r`);
    await pty.see(/That is the bot token \(xoxb-…\)\. Needed here: the signing secret/);
    pty.type(`${secret}\r`);
    await pty.see(/Waiting/);
    stage.sandbox.connectApp(`http://127.0.0.1:${port}/slack/events`);
    stage.sandbox.workspace.inviteBot(CHANNEL, 'U0ANA');
    await pty.see(/Gatepost is in #deployments\. Ask there\? \[Y\/n\]/);
    pty.type('\r');
    await pty.see(/Who decides/);
    pty.type('Ana Reyes\r');
    await pty.see(/Slack must reach it as https:\/\/bot\.example\.com\/slack\/events/);
    await toTheEnd(pty);
    expect(await stage.settings()).toMatchObject({
      SLACK_MODE: 'http',
      SLACK_SIGNING_SECRET: secret,
    });
  });
});

inTerminal('killed, and run again, it goes on and makes nothing twice', () => {
  const steps: readonly (readonly [string, (pty: Pty) => Promise<unknown>])[] = [
    ['after the link', (pty) => stage.create(pty)],
    [
      'after the bot token',
      async (pty) => {
        const { bot } = await stage.create(pty);
        pty.type(`${bot}\r`);
        await pty.see(/App token/);
      },
    ],
    ['after the app token', (pty) => stage.untilInvitation(pty)],
    [
      'after the invitation',
      async (pty) => {
        await stage.untilInvitation(pty);
        stage.sandbox.workspace.inviteBot(CHANNEL, 'U0ANA');
        await pty.see(/Ask there/);
      },
    ],
    [
      'after the first request',
      async (pty) => {
        await stage.untilInvitation(pty);
        stage.sandbox.workspace.inviteBot(CHANNEL, 'U0ANA');
        await pty.see(/Ask there/);
        pty.type('\r');
        await pty.see(/first request is in Slack/);
      },
    ],
  ];

  test.each(steps)('%s', async (_, until) => {
    const first = stage.setup();
    await until(first);
    const before = await stage.settings();
    first.kill('SIGKILL');
    await first.ended;

    const again = stage.setup();
    const { credentials, workspace } = stage.sandbox;
    if (before === null) {
      const { bot } = await stage.create(again);
      again.type(`${bot}\r`);
    }
    if (before?.SLACK_APP_TOKEN === undefined) {
      await again.see(/App token/);
      again.type(`${credentials.appToken}\r`);
    }
    if (before?.GATEPOST_CHANNEL === undefined) {
      if (workspace.channels().some(({ members }) => members.has('U0APP'))) {
        await again.see(/Gatepost is in #deployments\. Ask there\?/);
        again.type('\r');
        await again.see(/Who decides/);
        again.type('ana@example.com\r');
      } else {
        await again.see(/Waiting/);
        workspace.inviteBot(CHANNEL, 'U0ANA');
        await again.see(/Ask there/);
        again.type('\r');
      }
    }
    await toTheEnd(again);
    expect(messages()).toHaveLength(1);
    expect(await stage.settings()).toMatchObject(before ?? {});
    expect((await readdir(stage.folder)).sort()).toEqual(['.env', 'data', 'slack-app.json']);

    // Everything is done: it says so, and asks nothing.
    const last = stage.setup();
    await last.see(/The first request is decided: Approved by Ana\./);
    expect(await last.ended).toBe(0);
    expect(messages()).toHaveLength(1);
  });
});

inTerminal('Ctrl-C', () => {
  test.each([
    ['at a hidden question', (pty: Pty) => stage.create(pty), false],
    ['while it waits', (pty: Pty) => stage.untilInvitation(pty), true],
    [
      'at a question',
      async (pty: Pty) => {
        await stage.untilInvitation(pty);
        stage.sandbox.workspace.inviteBot(CHANNEL, 'U0ANA');
        await pty.see(/Ask there/);
      },
      true,
    ],
  ] as const)('%s leaves nothing half', async (_, until, hasTokens) => {
    const pty = stage.setup();
    await until(pty);
    pty.type('\x03');
    expect(await pty.ended).toBe(130);
    expect(pty.shown).toContain('Run gatepost setup again to go on from here.');
    const names = (await readdir(stage.folder)).sort();
    expect(names).toEqual(hasTokens ? ['.env', 'slack-app.json'] : ['slack-app.json']);
    expect(messages()).toEqual([]);
  });

  test('gives the terminal back as it was', async () => {
    const words = `"${process.execPath}" "${stage.program}" setup; stty -a`;
    await using pty = startPty(['sh', '-c', words], {
      cwd: stage.folder,
      env: { SLACK_API_URL: stage.sandbox.slackApiUrl.replace(/\/$/, '') },
    });
    await stage.create(pty);
    pty.type('\x03');
    await pty.see(/[^-]icanon[\s\S]*[^-]echo /);
  });
});

inTerminal('what is wrong is said, with where the right one is', () => {
  async function atBotToken(env?: Readonly<Record<string, string>>) {
    const pty = stage.setup('', env);
    return { pty, ...(await stage.create(pty)) };
  }

  test('a user token, an app token, and anything else in place of the bot token', async () => {
    const { pty, app } = await atBotToken();
    pty.type('xoxp-123\r');
    await pty.see(
      /That is a user token \(xoxp-…\), which acts as a person\. Needed here: the bot token/,
    );
    pty.type(`${app}\r`);
    await pty.see(/That is the app token \(xapp-…\)\. Needed here: the bot token/);
    pty.type('hello\r');
    await pty.see(/That is no token of Slack\./);
    pty.type('xoxb-unknown\r');
    await pty.see(/Slack does not accept SLACK_BOT_TOKEN \(invalid_auth\)/);
    expect(pty.shown).not.toContain('xoxb-unknown');
    expect(await stage.settings()).toBeNull();
  });

  test('tokens of two apps', async () => {
    const { pty, bot } = await atBotToken();
    pty.type(`${bot}\r`);
    await pty.see(/App token/);
    pty.type('xapp-1-A0OTHER-123-abc\r');
    await pty.see(/belongs to another app \(A0OTHER\) than the bot token \(A0APP\)/);
    pty.type(`${bot}\r`);
    await pty.see(/That is the bot token \(xoxb-…\)\. Needed here: the app token/);
  });

  test('a missing scope', async () => {
    const { pty, bot } = await atBotToken();
    const manifest = { oauth_config: { scopes: { bot: ['chat:write', 'users:read'] } } };
    stage.sandbox.workspace.app.install(JSON.stringify(manifest));
    pty.type(`${bot}\r`);
    await pty.see(/The app lacks the scopes commands, channels:history, .* reinstall the app/);
  });

  test('a revoked token, also one that is in the file already', async () => {
    const { pty, bot } = await atBotToken();
    stage.sandbox.workspace.app.revoke();
    pty.type(`${bot}\r`);
    await pty.see(/Slack does not accept SLACK_BOT_TOKEN \(token_revoked\)/);
    pty.type('\x03');
    await pty.ended;
    await writeFile(join(stage.folder, '.env'), `# mine\nOTHER=1\nSLACK_BOT_TOKEN=${bot}\n`);
    const again = stage.setup();
    await again.see(/\(token_revoked\)/);
    await again.see(/Replace SLACK_BOT_TOKEN in .*\/\.env\? \[Y\/n\]/);
    again.type('n\r');
    await again.see(/stays as it is, and does not work/);
    expect(await again.ended).toBe(1);
    expect(await stage.settings()).toEqual({ OTHER: '1', SLACK_BOT_TOKEN: bot });
  });

  test('no network, and a proxy that is not there', async () => {
    const dead = `http://127.0.0.1:${await freePort()}`;
    const without = stage.setup('', { SLACK_API_URL: `${dead}/api`, SLACK_BOT_TOKEN: 'xoxb-1' });
    await without.see(/Slack cannot be reached \(connection_refused\)\. Check the network/i);
    await without.see(/Try again\? \[Y\/n\]/);
    without.type('n\r');
    expect(await without.ended).toBe(1);
    const behind = stage.setup('', { HTTP_PROXY: dead, SLACK_BOT_TOKEN: 'xoxb-1' });
    await behind.see(/Slack cannot be reached \(proxy_\w+\)\. There is no way through the proxy/);
    behind.type('\x03');
    expect(await behind.ended).toBe(130);
  });

  test('a file that cannot be written', async () => {
    for (const [file, why] of [
      ['nowhere/.env', /its folder does not exist\. Name another file/],
      ['/proc/gatepost.env', /cannot be written/],
      ['.', /is a folder\. Name another file with --file/],
    ] as const) {
      const pty = stage.setup(`--file ${file}`);
      await pty.see(why);
      expect(await pty.ended).toBe(1);
    }
  });

  test('a second setup beside it', async () => {
    const first = stage.setup();
    await stage.create(first);
    const second = stage.setup();
    await second.see(/Another gatepost setup writes .*\/\.env \(process \d+\)/);
    expect(await second.ended).toBe(1);
    first.type('\x03');
    expect(await first.ended).toBe(130);
  });

  test('an app token without its scope, and an app that gets no connection', async () => {
    const { workspace, slackApiUrl, credentials } = stage.sandbox;
    const { pty, bot, app } = await atBotToken();
    const method = 'apps.connections.open';
    workspace.fault({ kind: 'refused', method, error: 'missing_scope', times: 1 });
    pty.type(`${bot}\r${app}\r`);
    await pty.see(/The app token lacks the scope connections:write/);
    for (let made = 0; made < 10; made += 1) {
      const headers = { authorization: `Bearer ${credentials.appToken}` };
      const asked = await fetch(`${slackApiUrl}${method}`, { method: 'POST', headers });
      const { url } = JSON.parse(await asked.text());
      await once(new WebSocket(url), 'open');
    }
    pty.type(`${app}\r`);
    await pty.see(/Slack does not open a connection\. Is Socket Mode on/);
  });

  test('another program that is connected with the same app', async () => {
    const first = stage.setup();
    await stage.untilInvitation(first);
    const other = stage.setup('--file other.env', {
      SLACK_BOT_TOKEN: stage.sandbox.credentials.botToken,
      SLACK_APP_TOKEN: stage.sandbox.credentials.appToken,
    });
    await other.see(/Another program with this app is connected to Slack/);
  });
});
