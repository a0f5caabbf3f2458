import { expect } from 'vitest';
import { DEPLOYS, messageOf } from '../support/world.ts';
import { openDoor } from './door.ts';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA, type Stage, startStage, untilAlarmsAre } from './stage.ts';
import { story } from './story.ts';

/** Asks for approvals that Slack refuses so often that none of them tries again within minutes. */
async function askInVain(stage: Stage, count: number): Promise<string[]> {
  const { workspace, automation } = stage.sandbox;
  const asked = await Promise.all(
    Array.from({ length: count }, (_, at) => stage.send({ title: `Request ${at}` })),
  );
  const ids = asked.map(({ id }) => id);
  const refusals = () =>
    workspace.calls('chat.postMessage').filter(({ args }) => args.channel === DEPLOYS).length;
  for (let tries = 1; tries <= 4; tries += 1) {
    await stage.sandbox.until(() => refusals() === tries * count, { what: `refusals ${tries}` });
    if (tries < 4) await Promise.all(ids.map((id) => automation.check(id)));
  }
  // At the first, the second and the fourth.
  await untilAlarmsAre(stage, 3 * count);
  return ids;
}

/** Waits until each has its one message. */
async function allPosted({ sandbox }: Stage, ids: readonly string[]): Promise<void> {
  const messages = () => sandbox.workspace.messages(DEPLOYS);
  const messagesOf = (id: string) => messages().filter((message) => messageOf([message], id));
  await sandbox.until(() => ids.every((id) => messagesOf(id).length > 0), { what: 'all messages' });
  expect(ids.map((id) => messagesOf(id).length)).toEqual(ids.map(() => 1));
}

story(
  'post-refused nothing-twice',
  'what waits for a channel is posted once when the bot is invited, though Slack says so twice',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    workspace.kickBot(DEPLOYS);
    const ids = await askInVain(stage, 4);
    workspace.repeatEvents(true);
    workspace.inviteBot(DEPLOYS);
    await allPosted(stage, ids);
    const [event] = workspace.events('member_joined_channel');
    expect(event?.attempts.map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
  },
);

story('post-refused', 'what waits for a channel is posted when it is unarchived', async () => {
  await using stage = await startStage();
  const { workspace } = stage.sandbox;
  workspace.archive(DEPLOYS);
  const ids = await askInVain(stage, 2);
  workspace.unarchive(DEPLOYS);
  await allPosted(stage, ids);
});

story(
  'post-refused intake-check',
  'what waits for a channel follows the first one that Slack takes',
  async () => {
    await using slack = await openDoor(({ path }) => path.split('/').at(-1));
    await using stage = await startStage({
      config(config) {
        const { origin, pathname } = new URL(config.slack.apiUrl ?? '');
        slack.leadTo(origin);
        return { ...config, slack: { ...config.slack, apiUrl: `${slack.url}${pathname}` } };
      },
    });
    let refusals = 0;
    slack.answer((method) => {
      if (method !== 'chat.postMessage') return undefined;
      refusals += 1;
      return { status: 200, body: { ok: false, error: 'restricted_action' } };
    });
    const asked = await Promise.all(
      Array.from({ length: 4 }, (_, at) => stage.send({ title: `Request ${at}` })),
    );
    await untilAlarmsAre(stage, 4);
    // That somebody else joins the channel changes nothing.
    const { workspace } = stage.sandbox;
    workspace.remove(DEPLOYS, 'U0GUS');
    workspace.invite(DEPLOYS, 'U0GUS');
    await stage.sandbox.until(() => workspace.events('member_joined_channel')[0]?.over === true);
    await stage.sandbox.automation.check(asked[0]?.id ?? '');
    await untilAlarmsAre(stage, 5);
    expect(refusals).toBe(5);
    slack.answer(null);
    await stage.sandbox.automation.check(asked[0]?.id ?? '');
    await allPosted(
      stage,
      asked.map(({ id }) => id),
    );
  },
);

const DENIED = /refuses Gatepost's requests \(401\)/;

/** Approvals that the service lets nobody read. */
async function askDenied(stage: Stage, count: number) {
  const asked = await Promise.all(
    Array.from({ length: count }, (_, at) => stage.ask({ title: `Request ${at}`, message: 'Go?' })),
  );
  stage.door.answer((call) => (call === 'look' ? { status: 401 } : undefined));
  await Promise.all(asked.map(({ id }) => stage.sandbox.automation.check(id)));
  await Promise.all(asked.map(({ ts }) => stage.until(ts, DENIED)));
  return asked;
}

async function allWatched(stage: Stage, asked: readonly { readonly ts: string }[]): Promise<void> {
  const isWatched = ({ ts }: { readonly ts: string }) => !DENIED.test(stage.read(ts));
  await stage.sandbox.until(() => asked.every(isWatched), { what: 'all are watched again' });
}

story(
  'look-denied look-resumed look-check-now',
  'after one Check now that is let in, all others are watched again',
  async () => {
    await using stage = await startStage();
    const asked = await askDenied(stage, 5);
    stage.door.answer(null);
    await stage.click(ANA, asked[2]?.ts ?? '', 'Check now');
    await allWatched(stage, asked);
  },
);

story(
  'look-denied look-resumed outcome-elsewhere',
  'after a new request that is let in, the others notice what was decided meanwhile',
  async () => {
    await using stage = await startStage();
    const asked = await askDenied(stage, 3);
    stage.sandbox.service.decide(asked[1]?.token ?? '', 'reject');
    stage.door.answer(null);
    await stage.ask({ prompt: 'And this one?' });
    await allWatched(stage, asked);
    await stage.until(asked[1]?.ts ?? '', /Rejected elsewhere/);
  },
);

story(
  'look-denied look-resumed outcome-elsewhere',
  'after a restart all are read again, whatever the service answers for the first ones',
  async () => {
    await using bot = await startRestartingBot();
    const { service, automation } = bot.sandbox;
    await using door = await openDoor(({ method, path }) =>
      method === 'GET' && path.includes('/approvals/') ? path.split('/').at(-1) : undefined,
    );
    door.leadTo(bot.sandbox.serviceUrl);
    await bot.restart({ SERVICE_URL: door.url });
    const asked = [];
    for (let at = 0; at < 6; at += 1) {
      asked.push(await bot.ask({ title: `Request ${at}`, message: 'Go?' }));
    }
    door.answer((token) => (token === undefined ? undefined : { status: 401 }));
    for (const { id, ts } of asked) {
      await automation.check(id);
      await bot.until(ts, DENIED);
    }
    const [first, second, third, ...others] = asked;
    await bot.stop();
    const unknown = [first?.token, second?.token];
    door.answer((token) => (unknown.includes(token) ? { status: 404 } : undefined));
    service.decide(third?.token ?? '', 'reject');
    await bot.restart({ SERVICE_URL: door.url });
    await bot.until(third?.ts ?? '', /Rejected elsewhere/);
    for (const gate of [first, second]) await bot.until(gate?.ts ?? '', /Unknown/);
    const isWatched = ({ ts }: { readonly ts: string }) => !DENIED.test(bot.read(ts));
    await bot.sandbox.until(() => others.every(isWatched), { what: 'all are watched again' });
  },
);

story(
  'look-denied look-resumed withdrawn',
  'those that were withdrawn meanwhile keep nobody behind them from being read again',
  async () => {
    await using stage = await startStage();
    const asked = await askDenied(stage, 4);
    const { automation } = stage.sandbox;
    stage.door.answer((call) => (call === 'look' ? { status: 404 } : undefined));
    const [first] = asked;
    await Promise.all(asked.slice(0, 2).map(({ id }) => automation.withdraw(id)));
    await stage.click(ANA, asked[3]?.ts ?? '', 'Check now');
    await stage.until(first?.ts ?? '', /Withdrawn/);
    for (const { ts } of asked.slice(2)) await stage.until(ts, /Unknown/);
  },
);

story(
  'look-denied',
  'while the service lets nobody in, a reading that has just been refused is not repeated',
  async () => {
    await using stage = await startStage();
    const [asked] = await askDenied(stage, 1);
    const { service } = stage.sandbox;
    const before = service.requests('getApproval').length;
    await stage.click(ANA, asked?.ts ?? '', 'Check now');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)[0]).toMatch(/^\*.+\*: The service refuses Gatepost's requests/);
    expect(service.requests('getApproval').length).toBe(before);
  },
);
