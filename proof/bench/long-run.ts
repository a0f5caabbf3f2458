import { randomUUID } from 'node:crypto';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { Pool } from 'undici';
import { ACTIONS } from '../../src/approvals/tell/message/message.ts';
import { system } from '../../src/core/lib/system.ts';
import { visitStore } from '../../src/core/store/open-store.ts';
import { PROGRAM } from './support/build.ts';
import { type Child, startChild } from './support/child.ts';
import { signed, signedRequest } from './support/click.ts';
import { botEnvironment, CHANNEL, INTAKE_SECRET, REVIEWERS, TEAM } from './support/environment.ts';
import { median } from './support/percentile.ts';
import { channelNames, makePlace, type Place, type StoreName } from './support/place.ts';
import { usedBytes } from './support/redis-server.ts';
import { note, type Row, short } from './support/rounds.ts';
import { configOf } from './support/waiting-approvals.ts';
import { startWorld, type World } from './support/world.ts';

/**
 * Mixed work on both stores for as long as is asked for, and what the bots and their stores hold meanwhile, after a
 * garbage collection: nothing may only grow. What is kept for a time (`retention`) is kept for minutes here.
 */

const MINUTE_MS = 60_000;
/** Until caches and what is kept for a time are full: presses are remembered for fifteen minutes. */
const WARM_UP_MS = 16 * MINUTE_MS;
const SAMPLES = 40;
const EVERY_MS = 150;
const PROBE = ['--expose-gc', '--import', './proof/bench/support/probe.mjs'];
const RETENTION = { done: '3m', decided: '2m', audit: '5m' };

/** Slack takes about one post a second in each. */
const CHANNELS = channelNames(20);

type Sample = Readonly<Record<string, number>>;

/** Also reported by the minute: compiled code is part of the heap, and grows as long as functions are optimized. */
const BY_MINUTE = ['heapMb', 'codeMb'];

/**
 * A row for each figure: its median in the last third, and in the third after the warm-up. For some also how much they
 * grew a minute in the last half of the run.
 */
export async function longRun({ minutes }: { readonly minutes: number }): Promise<Row[]> {
  const stores = ['redis', 'embedded'] as const;
  const all = await Promise.all(stores.map((store) => run(store, minutes * MINUTE_MS)));
  return all.flatMap((samples, at) => rowsOf(stores[at] ?? '', samples));
}

async function run(store: StoreName, forMs: number): Promise<readonly Sample[]> {
  await using world = await startWorld();
  await using place = await configured(world, store);
  await using bot = await startChild(PROGRAM, place.env, PROBE);
  const startedAt = performance.now();
  const isOver = () => performance.now() - startedAt >= forMs;
  const counts = { requests: 0, refused: 0 };
  const working = work(world, bot, place, counts, isOver);
  const samples: Sample[] = [];
  const take = async () => {
    const minute = (performance.now() - startedAt) / MINUTE_MS;
    const sample = { minute, ...counts, ...(await heldBy(bot, place)) };
    samples.push(sample);
    const figures = Object.entries(sample).map(([name, value]) => `${name} ${short(value)}`);
    note(`  ${store} · ${figures.join(' · ')}`);
  };
  while (!isOver()) {
    await take();
    await Promise.race([working, sleep(Math.max(forMs / SAMPLES, 5_000))]);
  }
  await working;
  await take();
  return samples;
}

function rowsOf(store: string, samples: readonly Sample[]): Row[] {
  const warm = samples.filter(({ minute = 0 }) => minute * MINUTE_MS >= WARM_UP_MS);
  const third = Math.floor(warm.length / 3);
  if (third === 0) throw new Error('the run is shorter than its warm-up: --minutes takes more');
  const of = (name: string, part: readonly Sample[]) =>
    median(part.map((sample) => sample[name] ?? Number.NaN));
  const names = Object.keys(warm[0] ?? {}).filter((name) => name !== 'minute');
  const rows = names.map((name) => {
    const [value, bare] = [of(name, warm.slice(-third)), of(name, warm.slice(0, third))];
    const id = `long-run-${store}-${name}`;
    return { id, value, bare, ratio: bare === 0 ? null : value / bare, spread: null, unit: '' };
  });
  const lastHalf = samples.slice(Math.floor(samples.length / 2));
  const growth = BY_MINUTE.map((name) => {
    const value = slopeOf(lastHalf.map((sample) => [sample.minute ?? 0, sample[name] ?? 0]));
    const id = `long-run-${store}-${name}-growth`;
    return { id, value, bare: null, ratio: null, spread: null, unit: 'MB/min' };
  });
  return [...rows, ...growth];
}

/** Of the line that fits best (least squares). */
function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  const meanOf = (at: 0 | 1) => points.reduce((sum, point) => sum + point[at], 0) / points.length;
  const [meanX, meanY] = [meanOf(0), meanOf(1)];
  const squares = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  return points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / squares;
}

async function heldBy(bot: Child, { env }: Place): Promise<Sample> {
  const held = (await bot.ask({})) as Sample; // as: what probe.mjs answers
  const rssMb = await bot.residentMb();
  const descriptors = (await readdir(`/proc/${bot.pid}/fd`)).length;
  return { rssMb, ...held, descriptors, ...(await storedIn(env)) };
}

async function storedIn({ REDIS_URL, DATA_DIR }: Place['env']): Promise<Sample> {
  if (REDIS_URL === undefined) {
    const { blocks } = await stat(join(DATA_DIR ?? '', 'data.mdb'));
    return { fileMb: (blocks * 512) / 2 ** 20 };
  }
  const redis = new Redis(REDIS_URL);
  const keys = await redis.dbsize();
  await redis.quit();
  return { keys, redisMb: (await usedBytes(REDIS_URL)) / 2 ** 20 };
}

async function configured(world: World, store: StoreName): Promise<Place> {
  const place = await makePlace(store);
  const folder = store === 'embedded' ? place : await makePlace('embedded');
  const path = join(folder.env.DATA_DIR ?? '', 'gatepost.yaml');
  const route = { channel: CHANNEL, reviewers: { users: REVIEWERS }, substitutes: true };
  // JSON is also YAML.
  const config = {
    sources: [
      {
        ...{ id: 'default', secret: 'GATEPOST_INTAKE_SECRET' },
        ...{ routes: ['default'], kinds: ['approval', 'gate'], channels: CHANNELS },
      },
    ],
    routes: { default: route },
    retention: RETENTION,
  };
  await writeFile(path, JSON.stringify(config));
  const { GATEPOST_CHANNEL, GATEPOST_REVIEWERS, ...env } = botEnvironment(world, place.env);
  return {
    env: { ...env, GATEPOST_CONFIG: path },
    async [Symbol.asyncDispose]() {
      await place[Symbol.asyncDispose]();
      if (folder !== place) await folder[Symbol.asyncDispose]();
    },
  };
}

/** One request after the other, and what people do beside them. */
async function work(
  world: World,
  bot: Child,
  { env }: Place,
  counts: { requests: number; refused: number },
  isOver: () => boolean,
): Promise<void> {
  const pool = new Pool(bot.url, { connections: 4 });
  await using store = await visitStore(configOf(env), system);
  if (store === null) throw new Error('the bot has one');
  const call = async (method: 'GET' | 'POST', path: string, sent: Sent = {}) => {
    const { body, statusCode } = await pool.request({ method, path, ...sent });
    const text = await body.text();
    if (statusCode >= 300) counts.refused += 1;
    return { statusCode, text };
  };
  const asSource = (body?: object): Sent => ({
    headers: { authorization: `Bearer ${INTAKE_SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify(body ?? {}),
  });
  const command = (user: string, text: string) =>
    call('POST', '/slack/events', signed(commandOf(world, user, text)));
  for (let at = 0; !isOver(); at += 1) {
    const user = REVIEWERS[at % REVIEWERS.length] ?? '';
    const token = randomUUID();
    const asked = await call(
      'POST',
      '/v1/approvals',
      asSource({
        ...(at % 3 === 0 ? { key: token } : { token }),
        title: `Deploy ${at}`,
        channel: CHANNELS[at % CHANNELS.length],
        message: 'All checks are green. Shall it go out?',
        ...(at % 4 === 1 && { supersedes: 'long-run' }),
      }),
    );
    counts.requests += 1;
    const { id } = JSON.parse(asked.text) as { id?: string }; // as: the intake's answer
    if (id === undefined) continue;
    const read = async () =>
      // as: the same
      JSON.parse((await call('GET', `/v1/approvals/${id}`, asSource())).text) as Shown;
    const until = async (isSo: (shown: Shown) => boolean) => {
      for (let tries = 0; tries < 600; tries += 1) {
        const shown = await read();
        if (isSo(shown)) return shown;
        await sleep(50);
      }
      counts.refused += 1;
      return undefined;
    };
    await until(({ posting }) => posting.state === 'posted');
    const { message, channel = '' } = (await store.read(id))?.place ?? {};
    if (typeof message !== 'string') continue;
    if (at % 10 === 7) await call('POST', `/v1/approvals/${id}/withdraw`, asSource());
    else if (at % 4 !== 1) {
      const place = { user, channel, message, value: id, token };
      const click = signedRequest({ ...place, actionId: ACTIONS.approve });
      await call('POST', '/slack/events', click);
      await until((shown) => shown.final);
      await call('POST', `/v1/approvals/${id}/result`, asSource({ state: 'succeeded' }));
    }
    if (at % 5 === 0) {
      await world.visit({ eventsUrl: `${bot.url}/slack/events`, visitors: [user] });
    }
    if (at % 7 === 0) await command(user, '');
    if (at % 20 === 10) await command(user, 'away until tomorrow');
    if (at % 20 === 18) await command(REVIEWERS[(at - 8) % REVIEWERS.length] ?? '', 'back');
    await sleep(EVERY_MS);
  }
  await pool.close();
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

interface Shown {
  readonly posting: { readonly state: string };
  readonly final: boolean;
}

function commandOf(world: World, user: string, text: string): string {
  return new URLSearchParams({
    command: '/approvals',
    text,
    user_id: user,
    user_name: user.toLowerCase(),
    team_id: TEAM,
    team_domain: 'bench',
    channel_id: CHANNEL,
    channel_name: 'bench',
    api_app_id: 'A0BENCH',
    response_url: `${world.url}/api/response`,
    trigger_id: `1.2.${randomUUID()}`,
    token: 'not-a-secret',
  }).toString();
}
