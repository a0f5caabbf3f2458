import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startAutomation, untilPosted } from './support/automation.ts';
import { PROGRAM } from './support/build.ts';
import { type Child, startChild } from './support/child.ts';
import { channelNames, configuredPlace } from './support/place.ts';
import type { RedisServer } from './support/redis-server.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { startWorld, type World } from './support/world.ts';

const CHANNELS = channelNames(2_016);
const WARM_UP = 2 * CHANNELS.length;
/** One below the limit of concurrent requests per source, one at twice the limit. */
const CONNECTIONS = [32, 512];
/**
 * Redis is paused, then runs, in ms: it is slow, then has pauses, then is away for longer than a connection is kept.
 */
const PIECES = [...Array(20).fill([400, 100]), ...Array(4).fill([3_000, 500]), [6_000, 1_000]];
const SILENT_MS = 12_000;
const CALM_MS = 3_000;
const WITHIN_MS = 240_000;
const SAMPLE_MS = 100;

/** Answers and memory of the intake while Redis is slow or paused, and while Slack does not answer. */
export async function backpressure(): Promise<Row[]> {
  const [redis, slack] = [
    contenders('Redis is slow', slowRedis),
    contenders('Slack is silent', silentSlack),
  ];
  const samples = await rounds('Intake under pressure', 1, [...redis, ...slack]);
  return [
    ...redis.map(({ name }, at) => row(`backpressure-redis-${CONNECTIONS[at]}`, name)),
    ...slack.map(({ name }, at) => row(`backpressure-slack-${CONNECTIONS[at]}`, name)),
  ];

  function row(id: string, name: string): Row {
    return rowOf(id, 'MB', samples, [name, 'MB at the most'], [name, 'MB before']);
  }
}

type Trouble = (world: World, server: RedisServer) => Promise<void>;

async function slowRedis(_world: World, { pid }: RedisServer): Promise<void> {
  for (const [stoppedMs, goingMs] of PIECES) {
    process.kill(pid, 'SIGSTOP');
    await sleep(stoppedMs);
    process.kill(pid, 'SIGCONT');
    await sleep(goingMs);
  }
}

async function silentSlack(world: World): Promise<void> {
  await world.channels({ isSilent: true });
  await sleep(SILENT_MS);
  await world.channels({ isSilent: false });
}

function contenders(what: string, trouble: Trouble): Contender[] {
  return CONNECTIONS.map((connections) => ({
    name: `${what}, ${connections} connections`,
    round: () => pressed(connections, trouble),
  }));
}

async function pressed(connections: number, trouble: Trouble): Promise<Sample> {
  await using world = await startWorld({ isPaced: true });
  await using place = await configuredPlace(world, CHANNELS);
  await using bot = await startChild(PROGRAM, place.env);
  await using automation = startAutomation(bot.url, connections);
  const warm = await automation.ask(channels(WARM_UP));
  await untilPosted(world, warm.approvals, WITHIN_MS);
  const before = await bot.residentMb();
  const [memory, end] = [watchMemory(bot), new AbortController()];
  const asking = automation.ask(channels(Number.POSITIVE_INFINITY), end.signal);
  await trouble(world, place.server);
  end.abort();
  const asked = await asking;
  const endedAt = Date.now();
  const posted = await untilPosted(world, asked.approvals, WITHIN_MS);
  await sleep(CALM_MS);
  const most = await memory.stop();
  return {
    ...asked.answers,
    'slowest answer s': asked.slowestMs / 1_000,
    'without Retry-After': asked.withoutRetryAfter,
    'MB before': before,
    'MB at the most': most,
    'MB after': await bot.residentMb(),
    'all posted after s': (posted.lastAt - endedAt) / 1_000,
    'never posted': posted.missing,
    'posted twice': posted.twice,
    "Slack's 429": posted.refused,
  };
}

function* channels(count: number): Generator<string> {
  for (let at = 0; at < count; at += 1) yield CHANNELS[at % CHANNELS.length] ?? '';
}

/** `stop` returns the peak resident memory since then. */
function watchMemory(bot: Child): { stop(): Promise<number> } {
  let [most, isOver] = [0, false];
  const watching = (async () => {
    while (!isOver) {
      most = Math.max(most, await bot.residentMb());
      await sleep(SAMPLE_MS);
    }
    return most;
  })();
  return {
    stop() {
      isOver = true;
      return watching;
    },
  };
}
