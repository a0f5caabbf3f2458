import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { askFloor } from './support/known-approvals.ts';
import { LISTENERS } from './support/listeners.ts';
import { median, percentile } from './support/percentile.ts';
import { configuredPlace, makePlace } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { storeClicks } from './support/waiting-approvals.ts';
import { startWorld, type World } from './support/world.ts';

/** What people wait for, if each call takes 100 ms in Slack and 30 ms in the service. */
const SLOW = { slackMs: 100, serviceMs: 30 };
const ROUNDS = 2;

/** A click until the message shows its outcome, warmed up, compared with the floor. */
export async function feltClick(): Promise<Row[]> {
  await using world = await startWorld(SLOW);
  const contender = (name: string, program: string, isFloor: boolean): Contender => ({
    name,
    async round() {
      await using place = await makePlace('redis');
      const env = botEnvironment(world, place.env);
      const stored = await storeClicks(env, 30, { isBare: true });
      const clicks = isFloor ? await askFloor(env, stored) : stored;
      await using bot = await startChild(program, env);
      const request = { eventsUrls: [`${bot.url}/slack/events`], atOnce: 1 };
      const { clicked: first } = await world.click({ ...request, clicks: clicks.slice(0, 1) });
      await world.click({ ...request, clicks: clicks.slice(1, 10) });
      const { clicked } = await world.click({ ...request, clicks: clicks.slice(10) });
      const shown = clicked.map(({ shownMs }) => shownMs);
      return { ...figures(shown), 'the first ever ms': first[0]?.shownMs ?? Number.NaN };
    },
  });
  const floor = contender('the floor', benchProgram('floor'), true);
  const ours = contender('Gatepost, redis', PROGRAM, false);
  const samples = await rounds('Felt: click → shown', ROUNDS, [floor, ours]);
  return [rowOf('felt-click', 'ms', samples, [ours.name, 'p50 ms'], [floor.name, 'p50 ms'])];
}

/** A click until the outcome is in each place where it is announced. */
export async function feltTold(): Promise<Row[]> {
  await using world = await startWorld(SLOW);
  const names = ['outcome-request', 'outcome-channel', 'outcome-requester'];
  const ours: Contender = {
    name: 'Gatepost, redis',
    async round() {
      await using place = await configuredPlace(world, [], 'C0OUTCOMES');
      await using bot = await startChild(PROGRAM, place.env);
      // Stored after the start, so that nothing of them was posted before, as in production.
      const told = await storeClicks(place.env, 10, { requester: 'U0ASKED' });
      const times = await world.tell({ eventsUrl: `${bot.url}/slack/events`, told, names });
      const p50 = (name: string) => median(times.slice(2).map((time) => time[name] ?? Number.NaN));
      return Object.fromEntries(['shown', ...names].map((name) => [`${name} p50 ms`, p50(name)]));
    },
  };
  const samples = await rounds('Felt: click → told', ROUNDS, [ours]);
  const row = (id: string, name: string) =>
    rowOf(`felt-${id}`, 'ms', samples, [ours.name, `${name} p50 ms`], [ours.name, 'shown p50 ms']);
  return [
    row('thread', 'outcome-request'),
    row('outcome-channel', 'outcome-channel'),
    row('requester', 'outcome-requester'),
  ];
}

/** `/new-case` until its form can be filled in. */
export async function feltForm(): Promise<Row[]> {
  await using world = await startWorld(SLOW);
  const contender = (name: string, program: string): Contender => ({
    name,
    async round() {
      await using place = await configuredPlace(world, []);
      await using bot = await startChild(program, { ...place.env, LISTENERS });
      const command = { eventsUrl: `${bot.url}/slack/events`, isFilled: true };
      const [first] = await world.command({ ...command, commands: 1 });
      await world.command({ ...command, commands: 5 });
      const took = await world.command({ ...command, commands: 20 });
      return { ...figures(took), 'the first ever ms': first ?? Number.NaN };
    },
  });
  const bolt = contender('bare Bolt, same listeners', benchProgram('bare-bolt'));
  const ours = contender('Gatepost, redis', PROGRAM);
  const samples = await rounds('Felt: /new-case → form', ROUNDS, [bolt, ours]);
  return [rowOf('felt-form', 'ms', samples, [ours.name, 'p50 ms'], [bolt.name, 'p50 ms'])];
}

/** A new request until its message is posted, while replies to thirty others are queued in the same channel. */
export async function feltOvertaking(): Promise<Row[]> {
  await using world = await startWorld({ ...SLOW, isPaced: true });
  const contender = (name: string, waiting: number): Contender => ({
    name,
    async round() {
      await using place = await makePlace('redis');
      const env = botEnvironment(world, place.env);
      await using bot = await startChild(PROGRAM, env);
      const clicks = await storeClicks(env, waiting);
      const eventsUrls = [`${bot.url}/slack/events`];
      await world.click({ eventsUrls, clicks, atOnce: 10 });
      return figures(await world.ask({ asks: 6, botUrl: bot.url }));
    },
  });
  const alone = contender('Gatepost, nothing waits', 1);
  const ours = contender('Gatepost, 30 wait', 30);
  const samples = await rounds('Felt: request → message', ROUNDS, [alone, ours]);
  return [rowOf('felt-overtaking', 'ms', samples, [ours.name, 'p50 ms'], [alone.name, 'p50 ms'])];
}

/** 200 presses within the first second of a process: the slowest acknowledgement. */
export async function feltBurst(): Promise<Row[]> {
  await using world = await startWorld(SLOW);
  const floor = bursting(world, 'the floor', benchProgram('floor'));
  const bolt = bursting(world, 'bare Bolt, same listeners', benchProgram('bare-bolt'));
  const ours = bursting(world, 'Gatepost, redis', PROGRAM);
  const samples = await rounds('Felt: a burst of presses', ROUNDS, [floor, bolt, ours]);
  const most = 'slowest ms';
  return [rowOf('felt-burst', 'ms', samples, [ours.name, most], [bolt.name, most])];
}

function bursting(world: World, name: string, program: string): Contender {
  return {
    name,
    async round() {
      await using place = await makePlace('redis');
      const env = { ...botEnvironment(world, place.env), LISTENERS };
      const stored = await storeClicks(env, 200, { isBare: true });
      const presses = name === 'the floor' ? await askFloor(env, stored) : stored;
      await using bot = await startChild(program, env);
      return figures(
        await world.burst({ eventsUrl: `${bot.url}/slack/events`, presses, withinMs: 1_000 }),
      );
    },
  };
}

function figures(took: readonly number[]): Sample {
  return { 'p50 ms': percentile(took, 0.5), 'slowest ms': Math.max(...took) };
}
