import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { UNPOLLED } from '../../src/approvals/lists.ts';
import { system } from '../../src/core/lib/system.ts';
import { createEmbeddedStore } from '../../src/core/store/embedded/create-embedded-store.ts';
import { DEPLOYS, messageOf } from '../support/world.ts';
import { openDoor } from './door.ts';
import { leaping } from './hurried.ts';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA, type Stage, sentenceFor, startStage, untilAlarmsAre } from './stage.ts';
import { story } from './story.ts';

/** Asks for approvals that Slack refuses until none of them tries again within minutes. */
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

/** Waits until each has exactly one message. */
async function allPosted({ sandbox }: Stage, ids: readonly string[]): Promise<void> {
  const messages = () => sandbox.workspace.messages(DEPLOYS);
  const messagesOf = (id: string) => messages().filter((message) => messageOf([message], id));
  await sandbox.until(() => ids.every((id) => messagesOf(id).length > 0), { what: 'all messages' });
  expect(ids.map((id) => messagesOf(id).length)).toEqual(ids.map(() => 1));
}

story(
  'post-refused nothing-twice',
  'requests waiting for a channel are posted once when the bot is invited, even if Slack says so twice',
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

story(
  'post-refused',
  'requests waiting for a channel are posted when it is unarchived',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    workspace.archive(DEPLOYS);
    const ids = await askInVain(stage, 2);
    workspace.unarchive(DEPLOYS);
    await allPosted(stage, ids);
  },
);

story(
  'post-refused intake-check',
  'requests waiting for a channel follow the first one that Slack accepts',
  async () => {
    await using slack = await openDoor(({ path }) => path.split('/').at(-1));
    await using stage = await startStage({
      hasDoor: true,
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

/** Approvals whose reads the service denies. */
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

/** How many polls were left out while another approval probed. */
async function leftOut({ app }: Stage): Promise<number> {
  const metric = /^gatepost_steps_total\{step="read-status",result="left-out"\} (\d+)/m;
  return Number(metric.exec(await (await fetch(`${app.url}/metrics`)).text())?.[1] ?? 0);
}

story.long(
  'look-denied look-resumed outcome-elsewhere',
  'after the first accepted read all approvals are read again, and earlier decisions are noticed',
  async () => {
    await using stage = await startStage({ hasDoor: true, pollScale: 0.1 });
    const asked = await askDenied(stage, 5);
    stage.sandbox.service.decide(asked[1]?.token ?? '', 'reject');
    stage.door.answer(null);
    await allWatched(stage, asked);
    await stage.until(asked[1]?.ts ?? '', /Rejected elsewhere/);
  },
);

story(
  'look-denied look-check-now',
  'while the service refuses access, one read a minute tries, and people who ask get an answer at once',
  async () => {
    const { clock, leap } = leaping();
    await using stage = await startStage({ hasDoor: true, clock });
    const [asked] = await askDenied(stage, 4);
    let from = 0;
    let reads = 0;
    stage.door.answer((call) => {
      if (call !== 'look') return undefined;
      reads += 1;
      return { status: 401 };
    });
    // After five minutes Slack's requests would be too old.
    for (let minute = 0; minute < 4; minute += 1) {
      const before = await leftOut(stage);
      // In the first minute it is not yet sure that all are denied.
      if (minute === 1) [from, reads] = [clock.monotonic(), 0];
      leap(67_000);
      await vi.waitUntil(async () => (await leftOut(stage)) > before, { timeout: 120_000 });
    }
    // Time also passes without the leaps: a read keeps the others from probing for 54 s. Four a minute would be twelve.
    const minutes = (clock.monotonic() - from) / 54_000;
    expect(reads).toBeLessThanOrEqual(Math.ceil(minutes) + 1);
    const before = reads;
    await stage.click(ANA, asked?.ts ?? '', 'Check now');
    expect(await sentenceFor(stage, ANA)).toMatch(/ refuses Gatepost's requests \(401\)/);
    expect(reads).toBeGreaterThan(before);
  },
);

story.long(
  'look-denied look-resumed outcome-elsewhere',
  'after a restart all approvals are read again, whatever the first reads return',
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
  'look-resumed outcome-elsewhere',
  'approvals that version 0.1 stopped polling are read again after the upgrade',
  async () => {
    await using bot = await startRestartingBot();
    const folder = await mkdtemp(join(tmpdir(), 'gatepost-upgrade-'));
    const env = { DATA_DIR: folder };
    await bot.restart(env);
    const asked = [];
    for (let at = 0; at < 5; at += 1) asked.push(await bot.ask({ message: 'Go?' }));
    await bot.stop();
    await unpoll(
      folder,
      asked.map(({ id }) => id),
    );
    for (const { token } of asked) bot.sandbox.service.decide(token, 'reject');
    await bot.restart(env);
    for (const { ts } of asked) await bot.until(ts, /Rejected elsewhere/);
    await bot.stop();
    await rm(folder, { recursive: true });
  },
);

/** Leaves approvals in a folder in the state that version 0.1 leaves after a 401. */
async function unpoll(folder: string, ids: readonly string[]): Promise<void> {
  const weekMs = 7 * 86_400_000;
  await using store = await createEmbeddedStore({ ...system, folder });
  for (const id of ids) {
    const signalled = await store.signal(id, { id: 'taken', body: '' }, { hold: true });
    if (signalled.kind !== 'leased') throw new Error('somebody else holds it');
    const { lease, record, inbox } = signalled.held;
    const data = JSON.parse(record.data);
    const failure = { class: 'refused', code: 'http_401', status: 401 };
    const watch = { ...data.watch, ended: true, stale: true, failure };
    await store.save(lease, {
      data: JSON.stringify({ ...data, watch }),
      handled: inbox.map((each) => each.id),
      place: record.place,
      lists: [UNPOLLED],
      audit: [],
      next: { kind: 'release', lane: 'background', dueAt: store.now() + weekMs },
    });
  }
}

story(
  'look-denied',
  'while the service refuses access, a read that was just refused is not repeated',
  async () => {
    await using stage = await startStage({ hasDoor: true });
    const [asked] = await askDenied(stage, 1);
    const { service } = stage.sandbox;
    const before = service.requests('getApproval').length;
    await stage.click(ANA, asked?.ts ?? '', 'Check now');
    await stage.sandbox.until(() => stage.told(ANA).length > 0);
    expect(stage.told(ANA)[0]).toMatch(/^Request \*.+\*: The service refuses Gatepost's requests/);
    expect(service.requests('getApproval').length).toBe(before);
  },
);
