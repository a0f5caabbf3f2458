import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { BILL_OWNERS, drawBills, sharesIn } from './support/bill.ts';
import { benchProgram, build } from './support/build.ts';
import { startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { askFloor, giveTokens } from './support/known-approvals.ts';
import { LISTENERS } from './support/listeners.ts';
import { startRedisServer } from './support/redis-server.ts';
import { storeClicks } from './support/waiting-approvals.ts';
import { startWorld } from './support/world.ts';

/**
 * Where the processor time of a warm click goes, in Gatepost and in the floor. `npx tsx proof/bench/click-bill.ts`
 * prints a table and draws proof/bench/click-bill.svg. Times come from a run without the profiler, shares from one with it.
 */
const WARM_UP = 3_000;
const COUNTED = 3_000;
const AT_ONCE = 20;

process.setMaxListeners(0);
process.on('SIGINT', () => process.exit(1)).on('SIGTERM', () => process.exit(1));
await build();
await using world = await startWorld();
const floor = await billOf('the floor', 'floor', askFloor);
const ours = await billOf('Gatepost', 'quiet-bot', giveTokens);
console.log('| µs a click | Gatepost | the floor |\n|---|---|---|');
console.log(`| in all | ${us(ours.ms)} | ${us(floor.ms)} |`);
for (const owner of BILL_OWNERS) {
  const of = ({ ms, shares }: typeof ours) => us(ms * (shares.get(owner) ?? 0));
  console.log(`| ${owner} | ${of(ours)} | ${of(floor)} |`);
}
const title = `Processor time of a click, in microseconds, Node ${process.version.slice(1)}`;
await writeFile('proof/bench/click-bill.svg', drawBills(title, [floor, ours]));

async function billOf(name: string, program: string, prepare: typeof giveTokens) {
  const folder = await mkdtemp(join(tmpdir(), 'click-bill-'));
  try {
    const ms = await cpuMsOfClick(program, prepare);
    await cpuMsOfClick(program, prepare, folder);
    const [profile = ''] = await readdir(folder);
    return { name, ms, shares: await sharesIn(join(folder, profile)) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** `folder`: where its profile is written; absent: no profile. */
async function cpuMsOfClick(
  program: string,
  prepare: typeof giveTokens,
  folder?: string,
): Promise<number> {
  await using redis = await startRedisServer();
  const env = { ...botEnvironment(world, { REDIS_URL: redis.url }), LISTENERS };
  const left = await prepare(env, await storeClicks(env, WARM_UP + COUNTED, { isBare: true }));
  const profiling = ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
  const nodeArguments = folder === undefined ? [] : profiling;
  await using bot = await startChild(benchProgram(program), env, nodeArguments);
  const click = (some: number) =>
    world.click({
      eventsUrls: [`${bot.url}/slack/events`],
      clicks: left.splice(0, some),
      atOnce: AT_ONCE,
      isOnlyAcknowledged: false,
    });
  await click(WARM_UP);
  const before = await bot.cpuMs();
  await click(COUNTED);
  return ((await bot.cpuMs()) - before) / COUNTED;
}

function us(ms: number): string {
  return Math.round(ms * 1_000).toLocaleString('en');
}
