import { benchProgram } from './support/build.ts';
import { type Child, cpuMsOf, startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { percentile } from './support/percentile.ts';
import { type RedisServers, startOneRedis, startRedisCluster } from './support/redis-cluster.ts';
import { type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { storeClicks } from './support/waiting-approvals.ts';
import { startWorld, type World } from './support/world.ts';

const COUNTS = [1, 2, 4];
/** For each process. */
const WARM_UP = 1_200;
const AT_ONCE = 20;
const CLICKS = 3_000;

/** Clicks processed by several processes that share one Redis. */
export async function replicas(): Promise<Row[]> {
  return rowsOn('replicas', startOneRedis);
}

/** The same on a Redis Cluster of three nodes. */
export async function cluster(): Promise<Row[]> {
  return rowsOn('cluster', startRedisCluster);
}

async function rowsOn(id: string, startRedis: () => Promise<RedisServers>): Promise<Row[]> {
  await using world = await startWorld();
  const contenders = COUNTS.map((count) => ({
    name: `${id}-${count}`,
    round: () => carryOut(world, startRedis, count),
  }));
  const samples = await rounds('Clicks carried out, 20 at a time for each', 3, contenders);
  const rate = 'per second';
  return contenders.map(({ name }) =>
    rowOf(name, 'clicks/s', samples, [name, rate], [`${id}-1`, rate]),
  );
}

async function carryOut(
  world: World,
  startRedis: () => Promise<RedisServers>,
  count: number,
): Promise<Sample> {
  await using redis = await startRedis();
  const env = botEnvironment(world, { REDIS_URL: redis.url });
  const clicks = await storeClicks(env, WARM_UP * count + CLICKS);
  await using bots = await startBots(count, env);
  const eventsUrls = bots.children.map(({ url }) => `${url}/slack/events`);
  const request = { eventsUrls, atOnce: AT_ONCE * count };
  await world.click({ ...request, clicks: clicks.slice(0, WARM_UP * count) });
  const cpuMs = async () => ({
    bots: await sum(bots.children.map((bot) => bot.cpuMs())),
    redis: await sum(redis.pids.map(cpuMsOf)),
  });
  const before = await cpuMs();
  const answer = await world.click({ ...request, clicks: clicks.slice(WARM_UP * count) });
  const after = await cpuMs();
  const shown = answer.clicked.map(({ shownMs }) => shownMs);
  return {
    'per second': CLICKS / (answer.tookMs / 1_000),
    'shown p50 ms': percentile(shown, 0.5),
    'p99 ms': percentile(shown, 0.99),
    "bots' cpu ms each": (after.bots - before.bots) / CLICKS,
    "Redis' cpu ms each": (after.redis - before.redis) / CLICKS,
    'carried out twice so far': answer.repeated,
  };
}

async function startBots(count: number, env: Readonly<Record<string, string>>) {
  const children: Child[] = [];
  // One after the other: the first one decides how the records are stored.
  for (let at = 0; at < count; at += 1)
    children.push(await startChild(benchProgram('quiet-bot'), env));
  return {
    children,
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map((child) => child[Symbol.asyncDispose]()));
    },
  };
}

async function sum(values: readonly Promise<number>[]): Promise<number> {
  return (await Promise.all(values)).reduce((all, each) => all + each, 0);
}
