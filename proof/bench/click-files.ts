import { Session } from 'node:inspector/promises';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { startWorld } from '../../test/support/world.ts';
import { startRedisServer } from './support/redis-server.ts';

/**
 * How many files and functions of `src` a warm click runs until its outcome is shown, on Redis, with nothing to
 * announce. `npx tsx proof/bench/click-files.ts` prints how often each ran, and their number.
 */
const WARM_UP = 3;
/** Longer than what follows a click at once, and than what follows a request. */
const REST_MS = 1_000;

await using redis = await startRedisServer();
await using world = await startWorld({
  env: { REDIS_URL: redis.url },
  config(config) {
    const outcomes = { thread: false, channel: null, requester: false };
    return { ...config, routes: config.routes.map((route) => ({ ...route, outcomes })) };
  },
});
for (let warm = 0; warm < WARM_UP; warm += 1) await clicked();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
const { ts } = await world.ask();
await rest();
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
await decided(ts);
const { result } = await session.post('Profiler.takePreciseCoverage');
session.disconnect();

const src = pathToFileURL(`${process.cwd()}/src/`).href;
const files = result
  .filter(({ url }) => url.startsWith(src))
  .map(({ url, functions }) => ({
    name: url.slice(src.length),
    // esbuild adds a helper that gives functions their names.
    ran: functions.filter(({ functionName, ranges }) => {
      return functionName !== '__name' && (ranges[0]?.count ?? 0) > 0;
    }),
  }))
  .filter(({ ran }) => ran.length > 0);
for (const { name, ran } of files.toSorted((one, other) => one.name.localeCompare(other.name))) {
  const times = ran.map(({ functionName, ranges }) => `${functionName || '…'} ${ranges[0]?.count}`);
  console.log(`${name}: ${times.join(', ')}`);
}
const functions = files.reduce((sum, { ran }) => sum + ran.length, 0);
console.log(`${files.length} files, ${functions} functions`);

async function clicked(): Promise<void> {
  const { ts } = await world.ask();
  await decided(ts);
}

async function decided(ts: string): Promise<void> {
  await world.click('U0ANA', ts, 'Approve');
  await world.until(ts, /Approved by/);
  await rest();
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}
