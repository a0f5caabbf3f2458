import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { supersedingList } from '../../src/approvals/decision/supersede.ts';
import {
  absenceRecord,
  decodeAbsence,
  encodeAbsence,
} from '../../src/approvals/electorate/absence.ts';
import { routeList } from '../../src/approvals/lists.ts';
import type { Store } from '../../src/core/store/store.ts';
import { PROGRAM } from './support/build.ts';
import { type Child, type Env, startChild } from './support/child.ts';
import {
  botEnvironment,
  CHANNEL,
  groupNamed,
  membersOf,
  REVIEWERS,
} from './support/environment.ts';
import { makePlace, type Place } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import {
  atOnce,
  configOf,
  decidedApprovals,
  HOUR_MS,
  openQuietStore,
  storeClicks,
  waitingApprovals,
} from './support/waiting-approvals.ts';
import { startWorld, type World } from './support/world.ts';

/**
 * What grows with the number of requests or people: the processor time for each, at a size and at a tenth of it. A ratio
 * of 1 means that the whole grows as the number does, 0.1 that it does not grow.
 */

const AT_ONCE = 200;
const DAY_MS = 24 * HOUR_MS;
const LATER = { dueInMs: HOUR_MS, askInMs: HOUR_MS };
const ROUTES = 20;
const GROUP_SIZE = 15;

/** Somebody leaves who is in the group of one route of twenty. */
export async function absenceGrowth(): Promise<Row[]> {
  await using world = await startWorld();
  const [few, many] = [1_000, 10_000];
  const contender = (name: string, open: number, away: number): Contender => ({
    name,
    async round() {
      await using place = await groupedPlace(world, ROUTES);
      const config = configOf(place.env);
      await using store = await openQuietStore(config);
      await storeOpen(store, place.env, open);
      const people = Array.from({ length: ROUTES }, (_, at) => membersOf(groupOf(at))).flat();
      for (const id of people.slice(1, away + 1)) await storeAbsence(store, id, DAY_MS, true);
      return await leaving(place, store, people[0] ?? '', open);
    },
  });
  const base = contender('10,000 open, 300 away', many, 299);
  const fewer = contender('1,000 open, 300 away', few, 299);
  const present = contender('10,000 open, 30 away', many, 29);
  const samples = await rounds('One person leaves', 1, [fewer, present, base]);
  return [
    rowOf('absence-open', 's', samples, [base.name, 'took s']),
    rowOf('absence-each', 'ms', samples, [base.name, 'ms each'], [fewer.name, 'ms each']),
    rowOf('absence-away', 'ms', samples, [base.name, 'ms each'], [present.name, 'ms each']),
  ];
}

/** From the change until nothing follows from it any more. */
async function leaving(place: Place, store: Store, id: string, open: number) {
  await using bot = await startChild(PROGRAM, place.env);
  await untilIdle(bot);
  const before = await bot.cpuMs();
  const startedAt = performance.now();
  const record = await storeAbsence(store, id, 2 * DAY_MS);
  await until(async () => !(await store.read(record))?.data.includes('"changedAt"'));
  const toldS = (performance.now() - startedAt) / 1_000;
  const tookMs = await untilIdle(bot, startedAt);
  const cpuMs = (await bot.cpuMs()) - before;
  return {
    'told s': toldS,
    'took s': tookMs / 1_000,
    'cpu s': cpuMs / 1_000,
    'ms each': cpuMs / open,
  };
}

/** Every older request of a name is withdrawn, and its message updated. */
export async function supersedeGrowth(): Promise<Row[]> {
  await using world = await startWorld();
  const contender = (older: number): Contender => ({
    name: `${older.toLocaleString('en')} older`,
    async round() {
      await using place = await makePlace('redis');
      const env = botEnvironment(world, place.env);
      const config = configOf(env);
      await using store = await openQuietStore(config);
      const make = waitingApprovals(config);
      const named = (at: number) => ({ name: 'bench', order: String(at).padStart(8, '0') });
      await atOnce(older, AT_ONCE, async (at) => {
        const supersedes = { ...named(at), isDone: true as const };
        await store.create(make({ ...LATER, supersedes }).record, { hold: false });
      });
      await using bot = await startChild(PROGRAM, env);
      await untilIdle(bot);
      const before = await bot.cpuMs();
      const startedAt = performance.now();
      const { record } = make({ ...LATER, dueInMs: 0, supersedes: named(older) });
      await store.create({ ...record, lane: 'people' }, { hold: false });
      const list = supersedingList('bench');
      await until(async () => (await store.overview([list])).lists[0]?.count === 1);
      const withdrawnMs = performance.now() - startedAt;
      await untilIdle(bot);
      const cpuMs = (await bot.cpuMs()) - before;
      return { 'withdrawn s': withdrawnMs / 1_000, 'ms each': cpuMs / older };
    },
  });
  const [few, many] = [contender(100), contender(1_000)];
  const samples = await rounds('A newer request replaces older ones', 3, [few, many]);
  return [
    rowOf('supersede-older', 'ms', samples, [many.name, 'ms each'], [few.name, 'ms each']),
    rowOf('supersede-took', 's', samples, [many.name, 'withdrawn s']),
  ];
}

/** People open their Home tab, each for the first time. */
export async function homeGrowth(): Promise<Row[]> {
  await using world = await startWorld();
  const opening = (name: string, visitors: number, decided: number): Contender => ({
    name,
    async round() {
      await using place = await makePlace('redis');
      const people = Array.from({ length: visitors }, (_, at) => `U0LOOKS${at}`);
      const env = {
        ...botEnvironment(world, place.env),
        GATEPOST_REVIEWERS: [...REVIEWERS, ...people].join(','),
      };
      await storeClicks(env, 20);
      await storeDecided(env, decided);
      await using bot = await startChild(PROGRAM, env);
      const visit = (visitors: readonly string[]) =>
        world.visit({ eventsUrl: `${bot.url}/slack/events`, visitors });
      await visit(REVIEWERS.flatMap((each) => [each, each]));
      const before = await bot.cpuMs();
      const startedAt = performance.now();
      await visit(people);
      const tookMs = performance.now() - startedAt;
      const cpuMs = (await bot.cpuMs()) - before;
      return { 'took s': tookMs / 1_000, 'ms each': cpuMs / visitors };
    },
  });
  const few = opening('100 people', 100, 0);
  const many = opening('1,000 people', 1_000, 0);
  const someDecided = opening('100 people, 1,000 decided', 100, 1_000);
  const manyDecided = opening('100 people, 10,000 decided', 100, 10_000);
  const samples = await rounds('People open their Home tab', 3, [
    few,
    many,
    someDecided,
    manyDecided,
  ]);
  return [
    rowOf('home-people', 'ms', samples, [many.name, 'ms each'], [few.name, 'ms each']),
    rowOf('home-people-took', 's', samples, [many.name, 'took s']),
    rowOf(
      'home-decided',
      'ms',
      samples,
      [manyDecided.name, 'ms each'],
      [someDecided.name, 'ms each'],
    ),
  ];
}

/** Presses by the new members of a user group that has just changed, on some of many requests in one channel. */
export async function groupGrowth(): Promise<Row[]> {
  await using world = await startWorld();
  const PRESSES = 50;
  const contender = (open: number): Contender => ({
    name: `${open} pending`,
    async round() {
      await using place = await makePlace('redis');
      const group = groupNamed(0, GROUP_SIZE);
      const env = { ...botEnvironment(world, place.env), GATEPOST_REVIEWERS: group };
      const clicks = await storeClicks(env, open);
      await using bot = await startChild(PROGRAM, env);
      const press = async (members: readonly string[]) => {
        await world.changeGroup({ group, members });
        await world.click({
          eventsUrls: [`${bot.url}/slack/events`],
          clicks: clicks
            .splice(0, PRESSES)
            .map((click, at) => ({ ...click, user: members[at % members.length] ?? '' })),
          atOnce: 1,
        });
      };
      await press(membersOf(group));
      const before = await bot.cpuMs();
      await press(membersOf(groupNamed(1, GROUP_SIZE)));
      return { 'ms each': ((await bot.cpuMs()) - before) / PRESSES };
    },
  });
  const [few, many] = [contender(2 * PRESSES), contender(1_000)];
  const samples = await rounds('Presses by members of a user group', 3, [few, many]);
  return [rowOf('group-press', 'ms', samples, [many.name, 'ms each'], [few.name, 'ms each'])];
}

function groupOf(route: number): string {
  return groupNamed(route, GROUP_SIZE);
}

/** On Redis, with routes that each have a user group of their own. */
async function groupedPlace(world: World, routes: number): Promise<Place> {
  const place = await makePlace('embedded');
  const redis = await makePlace('redis');
  const path = join(place.env.DATA_DIR ?? '', 'gatepost.yaml');
  const names = Array.from({ length: routes }, (_, at) => `team-${at}`);
  const routeOf = (name: string, at: number) => [
    name,
    { channel: CHANNEL, reviewers: { groups: [groupOf(at)] }, substitutes: true },
  ];
  // JSON is also YAML.
  const config = {
    sources: [{ id: 'default', secret: 'GATEPOST_INTAKE_SECRET', routes: names }],
    routes: Object.fromEntries(names.map(routeOf)),
  };
  await writeFile(path, JSON.stringify(config));
  const { GATEPOST_CHANNEL, GATEPOST_REVIEWERS, ...env } = botEnvironment(world, redis.env);
  return {
    env: { ...env, GATEPOST_CONFIG: path },
    async [Symbol.asyncDispose]() {
      await redis[Symbol.asyncDispose]();
      await place[Symbol.asyncDispose]();
    },
  };
}

async function storeOpen(store: Store, env: Env, count: number): Promise<void> {
  const config = configOf(env);
  const makers = config.routes.map((route) => waitingApprovals(config, route));
  await atOnce(count, AT_ONCE, async (at) => {
    const { record } = makers[at % makers.length]?.(LATER) ?? {};
    if (record === undefined) throw new Error('there are routes');
    await store.create(record, { hold: false });
  });
  const { lists } = await store.overview(config.routes.map(({ name }) => routeList(name)));
  if (lists.some((list) => list.count === 0)) throw new Error('every route has some');
}

/** `isTold`: nothing is left to do before its end. */
async function storeAbsence(
  store: Store,
  id: string,
  forMs: number,
  isTold = false,
): Promise<string> {
  const now = store.now();
  const change = { kind: 'set', by: id, until: now + forMs } as const;
  const record = absenceRecord({ id, globalId: id }, id, change, now);
  const { changedAt, ...told } = decodeAbsence(record.data);
  const data = isTold ? encodeAbsence(told) : record.data;
  const created = await store.create(
    { ...record, data, lane: 'people', dueInMs: isTold ? forMs : 0, place: null },
    { hold: false },
  );
  if (created.kind !== 'created') throw new Error('nobody leaves twice');
  return created.id;
}

async function storeDecided(env: Env, count: number): Promise<void> {
  const config = configOf(env);
  const make = decidedApprovals(config);
  await using store = await openQuietStore(config);
  await atOnce(count, AT_ONCE, async (at) => {
    const record = make({ agoMs: (at / count) * 7 * DAY_MS });
    await store.create({ ...record, dueInMs: 7 * DAY_MS }, { hold: false });
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(50);
}

const STILL_MS = 1_500;

/** Until it has done nothing for a while; returns when it ended, in ms since `startedAt`. */
async function untilIdle(bot: Child, startedAt = performance.now()): Promise<number> {
  for (;;) {
    const before = await bot.cpuMs();
    const endedAt = performance.now();
    await sleep(STILL_MS);
    if ((await bot.cpuMs()) - before < STILL_MS / 20) return endedAt - startedAt;
  }
}
