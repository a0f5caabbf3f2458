import { expect, vi } from 'vitest';
import type { Config } from '../../src/core/config/config.ts';
import { startTlsServer } from '../support/tls-server.ts';
import { DEPLOYS, OUTCOMES } from '../support/world.ts';
import { startCaseStage } from './case-stage.ts';
import { lining } from './lines-stage.ts';
import { reviewed, startMoveStage } from './move-stage.ts';
import { ANA, BEN, type Stage, type StageOptions, startStage, untilAlarmsAre } from './stage.ts';
import { story } from './story.ts';

const DANA = 'U0DANA';

/** A stage whose administrator is Dana. */
function startStageWithDana(options: StageOptions = {}): Promise<Stage> {
  return startStage({
    ...options,
    config(given) {
      const config = options.config?.(given) ?? given;
      return { ...config, administrators: { users: [DANA], groups: [] } };
    },
  });
}

/** What Dana was told so far, once it is so much. */
async function danaHears(stage: Stage, count = 1): Promise<string[]> {
  const heard = () => stage.told(DANA);
  await stage.sandbox.until(() => heard().length >= count, { what: `${count} notices` });
  return heard();
}

function linesOf({ log }: Stage, message: string): Record<string, unknown>[] {
  return log
    .map((line): Record<string, unknown> => JSON.parse(line))
    .filter(({ msg }) => msg === message);
}

story(
  'administrators-told',
  'a bot that is not in the channel tells an administrator',
  async () => {
    await using stage = await startStageWithDana();
    stage.sandbox.workspace.kickBot(DEPLOYS);
    await stage.send({ title: 'Outside' });
    expect(await danaHears(stage)).toEqual([
      'Gatepost cannot post in <#C0DEPLOYS>: it is not in the channel. Type `/invite @Gatepost` there: waiting approvals and outcomes are then posted automatically.',
    ]);
  },
);

story('administrators-told', 'an archived channel is told to an administrator', async () => {
  await using stage = await startStageWithDana();
  const { ts } = await stage.ask({ title: 'Archived meanwhile' });
  stage.sandbox.workspace.archive(DEPLOYS);
  await stage.click(ANA, ts, 'Approve');
  const [text] = await danaHears(stage);
  expect(text).toMatch(
    /^Gatepost cannot post in <#C0DEPLOYS>: the channel is archived\. Unarchive/,
  );
});

story(
  'administrators-told',
  'a scope that was not granted is named to an administrator',
  async () => {
    const scopes = ['chat:write', 'im:write', 'users:read', 'channels:read'];
    await using stage = await startStageWithDana({ sandbox: { scopes } });
    const { workspace } = stage.sandbox;
    // Its answer lost, the post is to be looked for, which takes the missing scope.
    workspace.fault({ kind: 'dropAfter', method: 'chat.postMessage', times: 1 });
    await stage.send({ title: 'Lost' });
    expect(await danaHears(stage)).toEqual([
      expect.stringMatching(/^Slack did not grant Gatepost all the scopes .*channels:history/),
    ]);
  },
);

story(
  'administrators-told',
  'an outcome channel without the bot is told to an administrator',
  async () => {
    await using stage = await startStageWithDana();
    stage.sandbox.workspace.kickBot(OUTCOMES);
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    const [text] = await danaHears(stage);
    expect(text).toMatch(/^Gatepost cannot post in <#C0OUTCOMES>: it is not in the channel/);
  },
);

story(
  'administrators-told people-reviewers nobody-without-answer',
  'a disabled group of reviewers is reported to the person who clicks and to an administrator',
  async () => {
    await using stage = await startStageWithDana({
      route: { reviewers: { users: [], groups: ['S0REL'], channel: false } },
    });
    stage.sandbox.workspace.setUserGroup('S0REL', { enabled: false });
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    const [text] = await danaHears(stage);
    expect(text).toMatch(/^The user group `S0REL` cannot be read: it was deleted or disabled/);
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)[0]).toMatch(/^Gatepost could not check whether you are a reviewer/);
  },
);

story(
  'administrators-told people-reviewers nobody-without-answer',
  'a Slack plan without user groups is reported to the person who clicks and to an administrator',
  async () => {
    await using stage = await startStageWithDana({
      route: { reviewers: { users: [], groups: ['S0REL'], channel: false } },
    });
    stage.sandbox.workspace.fault({
      kind: 'refused',
      method: 'usergroups.users.list',
      error: 'paid_only',
    });
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    const [text] = await danaHears(stage);
    expect(text).toMatch(/^Slack does not show Gatepost any user groups: the plan .* has none/);
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)[0]).toMatch(/this workspace's Slack plan has no user groups/);
  },
);

story(
  'administrators-told administrators-once look-denied',
  'a 401 at the polls of many approvals alerts administrators once',
  async () => {
    await using stage = await startStageWithDana({ hasDoor: true, sandbox: { postRate: null } });
    const asked = await Promise.all(
      Array.from({ length: 12 }, (_, at) => stage.ask({ title: `Request ${at}` })),
    );
    stage.door.answer((call) => (call === 'look' ? { status: 401 } : undefined));
    await Promise.all(asked.map(({ id }) => stage.sandbox.automation.check(id)));
    await Promise.all(
      asked.map(({ ts }) => stage.until(ts, /refuses Gatepost's requests \(401\)/)),
    );
    expect(await danaHears(stage)).toEqual([
      expect.stringMatching(/^The service does not let Gatepost read approvals \(401\)/),
    ]);
    // Every approval has raised it by now.
    await untilAlarmsAre(stage, asked.length);
    expect(stage.told(DANA)).toHaveLength(1);
    expect(linesOf(stage, 'administrators have to act')).toHaveLength(1);
  },
);

story(
  'administrators-told respond-denied',
  'an administrator is alerted when the service refuses decisions',
  async () => {
    await using stage = await startStageWithDana({ hasDoor: true });
    const { ts } = await stage.ask();
    stage.door.answer((call) => (call === 'respond' ? { status: 403 } : undefined));
    await stage.click(BEN, ts, 'Approve');
    const [text] = await danaHears(stage);
    expect(text).toMatch(/^The service does not accept decisions from Gatepost \(403\)/);
  },
);

story(
  'administrators-told people-unknown nobody-without-answer',
  'a list of accounts that the service refuses is reported to the person who clicks and to an administrator',
  async () => {
    await using stage = await startStageWithDana({ env: { SCIM_TOKEN: 'another' } });
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    const [text] = await danaHears(stage);
    expect(text).toMatch(/^The service does not let Gatepost look up accounts \(401\)/);
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)[0]).toMatch(
      /: Gatepost was not allowed to check whether you can decide/,
    );
  },
);

story('administrators-told', 'without administrators, the alert is only logged', async () => {
  await using stage = await startStage();
  stage.sandbox.workspace.kickBot(DEPLOYS);
  await stage.send({ title: 'Outside' });
  const said = () => linesOf(stage, 'administrators have to act');
  await vi.waitUntil(() => said().length > 0, { timeout: 60_000 });
  expect(said()).toMatchObject([
    { level: 40, about: 'approvals.not-in-channel.C0DEPLOYS', administrators: 0 },
  ]);
  expect(stage.told(DANA)).toEqual([]);
});

story(
  'administrators-told',
  'an administrator whom Slack cannot reach is alerted later, and no approval waits for that',
  async () => {
    await using stage = await startStageWithDana();
    const { workspace } = stage.sandbox;
    workspace.kickBot(OUTCOMES);
    workspace.fault({
      kind: '500',
      method: 'chat.postMessage',
      times: 1,
      when: ({ channel }) => channel === DANA,
    });
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(await danaHears(stage)).toHaveLength(1);
  },
);

/** A bot with a key that the service does not know, and what its log says of that. */
const OLD_KEY = { env: { SERVICE_API_KEY: 'an-old-key-of-the-service' } };
const dana = (config: Config) => ({ ...config, administrators: { users: [DANA], groups: [] } });
const KEY_REFUSED =
  'The service does not accept `SERVICE_API_KEY` (401). Nobody can move work items or create test cases from Slack. Everybody who tried has been told. Set a valid key and restart Gatepost.';

/** Dana is told of the key once, and the log too. */
async function keyToldOnce(stage: Stage): Promise<void> {
  expect(await danaHears(stage)).toEqual([KEY_REFUSED]);
  const warnings = linesOf(stage, 'administrators have to act');
  expect(warnings).toMatchObject([{ about: 'service.key-refused', level: 40 }]);
}

story(
  'administrators-told nobody-without-answer',
  'an API key that the service refuses alerts administrators once, for single and several test cases',
  async () => {
    await using stage = await startCaseStage({ ...OLD_KEY, config: dana });
    await stage.type('One --priority low --project Checkout');
    await stage.directOf(/Not created[\s\S]*Try again/);
    await danaHears(stage);
    await stage.pressDirect('Try again');
    const lines = lining(stage);
    await lines.create('Two\nThree');
    await stage.directOf(/Stopped: 0 of 2/);
    const refused = () => stage.sandbox.service.requests('createTestCase').length;
    await stage.sandbox.until(() => refused() >= 3, { what: 'three tries' });
    await untilAlarmsAre(stage, 2, 'test-case-alert');
    await untilAlarmsAre(stage, 1, 'test-case-batch-alert');
    await keyToldOnce(stage);
  },
);

story(
  'administrators-told move-refused',
  'an API key that the service refuses alerts administrators, at a move and when an item is read',
  async () => {
    for (const source of ['push', 'http'] as const) {
      await using stage = await startMoveStage({ ...OLD_KEY, source, config: dana });
      if (source === 'push') {
        const { id, key, updatedAt, status, projectId } = stage.item('OPS-18');
        await stage.report({ id, key, updatedAt, status: status.id, projectId });
        await reviewed(stage);
        await stage.submit();
        await stage.modalOf(/Not moved/);
      } else {
        await stage.type('OPS-18');
        await stage.modalOf(/did not accept Gatepost's API key/);
      }
      await keyToldOnce(stage);
    }
  },
);

story(
  'administrators-told',
  'a Space without write access for the API key causes no alert',
  async () => {
    await using stage = await startCaseStage({ config: dana });
    await stage.type('No --priority low --project Ledger');
    await stage.directOf(/Not created/);
    await stage.type('Yes --priority low --project Checkout');
    await stage.answerOf(/\*Created\*/);
    expect(linesOf(stage, 'administrators have to act')).toEqual([]);
  },
);
story(
  'administrators-told look-not-known',
  'administrators are alerted of three approvals in a row that the service does not know',
  async () => {
    await using stage = await startStageWithDana({ hasDoor: true });
    const { automation } = stage.sandbox;
    const unknown = async () => {
      stage.door.answer((call) => (call === 'look' ? { status: 404 } : undefined));
      const { ts, id } = await stage.ask({ message: 'Go?' });
      await automation.check(id);
      await stage.until(ts, /does not know this approval \(404\)/);
    };
    await unknown();
    await unknown();
    await untilAlarmsAre(stage, 2);
    // One that is known comes in between.
    stage.door.answer(null);
    const { ts } = await stage.ask({ message: 'Go?' });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    await unknown();
    await unknown();
    await untilAlarmsAre(stage, 4);
    expect(stage.told(DANA)).toEqual([]);
    await unknown();
    expect(await danaHears(stage)).toEqual([
      expect.stringMatching(
        /^The service did not know any of the last three .*\(404\).*`SERVICE_URL`/,
      ),
    ]);
    expect(stage.told(DANA)[0]).not.toContain(stage.door.url);
  },
);

story(
  'administrators-told nobody-without-answer',
  'an untrusted certificate alerts administrators once, and is logged once a minute',
  async () => {
    await using service = await startTlsServer('valid');
    await using stage = await startStageWithDana({ env: { SERVICE_URL: service.origin } });
    const { ts } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.click(BEN, ts, 'Approve');
    const answered = () => [ANA, BEN].every((user) => stage.told(user).length > 0);
    await stage.sandbox.until(answered, { what: 'two answers' });
    expect(await danaHears(stage)).toEqual([
      "Gatepost cannot connect to the service: the certificate at `SERVICE_URL` is not from an authority that Gatepost trusts. Until it can, the service's approvals cannot be decided, and moves, test cases and account changes fail. Gatepost keeps trying. Check that the server sends its whole chain of certificates. For an authority of your own set `NODE_EXTRA_CA_CERTS` and restart Gatepost. Then ask the reviewers to press again.",
    ]);
    expect(linesOf(stage, 'a step failed')).toMatchObject([{ code: 'certificate_not_trusted' }]);
    expect(stage.log.join('')).not.toContain(service.origin);
  },
);
