import { readFile } from 'node:fs/promises';
import { expect, vi } from 'vitest';
import { manifestFor } from '../../src/cli/manifest.ts';
import { runHere } from '../cli/run-here.ts';
import { DEPLOYS } from '../support/world.ts';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA, BEN, startStage } from './stage.ts';
import { story } from './story.ts';

const ALONE = { SERVICE_URL: undefined, SERVICE_API_KEY: undefined, SCIM_TOKEN: undefined };
const TASKS_ARE_OFF =
  'Moving work items is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.';
const CASES_ARE_OFF =
  'Creating test cases is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.';
const ACCOUNTS_ARE_OFF =
  'Looking up and managing accounts is off until the person who runs Gatepost sets SERVICE_URL and SCIM_TOKEN.';

story(
  'without-service gate-own',
  'without a service an own gate is posted, approved and shown, and `ask` ends with 0',
  async () => {
    // The app has nothing but what own gates need.
    const whole = await readFile(new URL('../../manifest.yml', import.meta.url), 'utf8');
    const manifest = manifestFor(whole, 'https://gatepost.example.com/slack/events', ['approvals']);
    await using alone = await startStage({ env: ALONE, sandbox: { manifest } });
    const { sandbox, app } = alone;
    const env = {
      GATEPOST_URL: app.url,
      GATEPOST_INTAKE_SECRET: sandbox.credentials.intakeSecret,
    };
    const asked = runHere(['ask', '--wait', '--title', 'Deploy 4.2'], { env });
    const { ts } = await sandbox.until(() =>
      sandbox.workspace.messages(DEPLOYS).find(({ text }) => text.includes('Deploy 4.2')),
    );
    await alone.click(ANA, ts, 'Approve');
    const { code, out, err } = await asked;
    expect(code).toBe(0);
    expect(out + err).toMatch(/Approved by Ana \(U0ANA\)( after \d+ s)?\./);
    const shown = await alone.until(ts, /Approved by <@U0ANA>/);
    expect(shown).toContain('Recorded by Gatepost');
    expect((await fetch(`${app.url}/readyz`)).status).toBe(200);
    const metrics = await (await fetch(`${app.url}/metrics`)).text();
    expect(metrics).not.toMatch(/gatepost_alerts_total\{[^}]*\} [1-9]/);
    expect(metrics).not.toMatch(/^gatepost_service_seconds_count/m);
    const levels = alone.log.map((line) => Number(/"level":(\d+)/.exec(line)?.[1]));
    expect(levels).toContain(30);
    const warnings = alone.log.filter((_, at) => (levels[at] ?? 0) > 30);
    // On a busy machine it may warn of what was late.
    expect(warnings.filter((line) => /service|scim/i.test(line))).toEqual([]);
    expect(sandbox.service.requests()).toEqual([]);
  },
);

story(
  'without-service intake-bad-input',
  'without a service a token and a work item are refused with the reason',
  async () => {
    await using alone = await startStage({ env: ALONE });
    const { sandbox, app } = alone;
    const asked = await sandbox.automation.ask({ token: 'a-token', title: 'Deploy 4.2' });
    expect(asked).toMatchObject({
      status: 422,
      body: {
        errors: [
          {
            pointer: '/token',
            detail:
              'belongs to a service, and none is configured (SERVICE_URL): send key for an own gate instead',
          },
        ],
      },
    });
    const reported = await fetch(`${app.url}/v1/tasks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        id: 't-1',
        key: 'OPS-1',
        title: 'Move me',
        updatedAt: '2026-01-01T00:00:00Z',
        status: 's-open',
        projectId: 'p-ops',
        subItems: [],
      }),
    });
    expect(reported.status).toBe(422);
    expect(await reported.json()).toMatchObject({
      errors: [
        {
          pointer: '',
          detail: 'work items belong to a service, and none is configured (SERVICE_URL)',
        },
      ],
    });
    expect(sandbox.workspace.messages(DEPLOYS)).toEqual([]);
  },
);

story(
  'without-service nobody-without-answer',
  'without a service each feature that needs one says that it is off, and how to turn it on',
  async () => {
    await using alone = await startStage({ env: ALONE });
    const { workspace, until } = alone.sandbox;
    const said = () => workspace.ephemerals(BEN).map(({ text }) => text);
    const commands = [
      ['/move-task OPS-1', TASKS_ARE_OFF],
      ['/new-case Pay --priority high', CASES_ARE_OFF],
      ['/people me', ACCOUNTS_ARE_OFF],
    ] as const;
    for (const [text] of commands) {
      const typed = await workspace.command({ user: BEN, channel: DEPLOYS, text });
      expect(typed).toMatchObject({ acknowledged: true, shown: null });
    }
    await until(() => said().length === commands.length);
    expect(said()).toEqual(commands.map(([, sentence]) => sentence));
    const { ts } = await alone.ask({ key: 'deploy', title: 'OPS-1' });
    const callbackId = 'tasks.move';
    const used = await workspace.shortcut({ user: BEN, channel: DEPLOYS, ts, callbackId });
    expect(used).toMatchObject({ acknowledged: true });
    await until(() => said().length > commands.length);
    expect(said().at(-1)).toBe(TASKS_ARE_OFF);
  },
);

story(
  'without-service no-click-lost nobody-without-answer',
  'an approval whose service is no longer configured stays, its click waits, and administrators are alerted',
  async () => {
    await using bot = await startRestartingBot();
    await bot.restart({});
    const { ts } = await bot.ask({ title: 'Deploy 4.2' });
    await bot.restart(ALONE);
    await bot.click(ANA, ts, 'Approve');
    await bot.until(ts, /Waiting for the service/);
    const alert = /`SERVICE_URL` is not set.*administrators have to act/;
    const told = () => expect(bot.log).toContainEqual(expect.stringMatching(alert));
    await vi.waitFor(told, { timeout: 60_000 });
    expect(bot.sandbox.service.requests('respond')).toEqual([]);
  },
);
