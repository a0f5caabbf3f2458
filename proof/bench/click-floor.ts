import { benchProgram } from './support/build.ts';
import { cpuMsOf, type Env, startChild } from './support/child.ts';
import type { Click } from './support/click.ts';
import { botEnvironment } from './support/environment.ts';
import { askFloor, giveTokens } from './support/known-approvals.ts';
import { LISTENERS } from './support/listeners.ts';
import { percentile } from './support/percentile.ts';
import { startRedisServer } from './support/redis-server.ts';
import { type Contender, type Row, rounds, rowOf, type Sample } from './support/rounds.ts';
import { storeClicks } from './support/waiting-approvals.ts';
import { startWorld, type World, type WorldAnswer } from './support/world.ts';

/** The first clicks of a process, one at a time. */
const COLD = 200;
/** By then V8 has compiled most of the hot code; on a slow machine it goes on for longer. */
const WARM_UP = 4_000;
const ONE_BY_ONE = 200;
const TOGETHER = 2_500;
const AT_ONCE = 20;

/** A click from the request to the shown outcome, compared with the floor and with common alternatives. */
export async function clickFloor(): Promise<Row[]> {
  await using world = await startWorld();
  const floor = contender(world, 'the floor', 'floor', { prepare: askFloor });
  const limit = contender(world, 'the floor without Bolt', 'limit', { prepare: askFloor });
  const bolt = contender(world, 'bare Bolt, same listeners', 'bare-bolt', { showsNothing: true });
  const bot = contender(world, "an afternoon's bot", 'afternoon-bot');
  const queue = contender(world, 'Bolt with BullMQ', 'queue-bot');
  const ours = contender(world, 'Gatepost, redis', 'quiet-bot');
  const samples = await rounds('A click, beside the floor', 3, [
    floor,
    limit,
    bolt,
    bot,
    queue,
    ours,
  ]);
  const beside = (id: string, other: Contender, figure: string, unit = 'ms') =>
    rowOf(id, unit, samples, [ours.name, figure], [other.name, figure]);
  return [
    beside('click-floor', floor, 'cpu ms each'),
    beside('click-limit', limit, 'cpu ms each'),
    beside('click-floor-cold', floor, 'cold cpu ms each'),
    beside('click-floor-shown', floor, 'shown p50 ms'),
    beside('click-floor-shown-cold', floor, 'cold shown p50 ms'),
    beside('click-beside-bolt', bolt, 'cpu ms each'),
    beside('click-beside-bot', bot, 'cpu ms each'),
    beside('click-beside-queue', queue, 'cpu ms each'),
    beside('carried-out-beside-queue', queue, 'per second', 'clicks/s'),
  ];
}

interface Ways {
  /** Makes the approvals known to the contender; returns the clicks in its format. */
  readonly prepare?: (env: Env, clicks: readonly Click[]) => Promise<Click[]>;
  readonly showsNothing?: boolean;
}

function contender(world: World, name: string, program: string, ways: Ways = {}): Contender {
  const { prepare = giveTokens, showsNothing = false } = ways;
  return {
    name,
    async round() {
      await using redis = await startRedisServer();
      const env = { ...botEnvironment(world, { REDIS_URL: redis.url }), LISTENERS };
      const count = COLD + WARM_UP + ONE_BY_ONE + TOGETHER;
      const left = await prepare(env, await storeClicks(env, count, { isBare: true }));
      await using bot = await startChild(benchProgram(program), env);
      const cpuMs = async () => [await bot.cpuMs(), await cpuMsOf(redis.pid)] as const;
      const click = async (some: number, width: number) => {
        const [before, redisBefore] = await cpuMs();
        const answer = await world.click({
          eventsUrls: [`${bot.url}/slack/events`],
          clicks: left.splice(0, some),
          atOnce: width,
          isOnlyAcknowledged: showsNothing,
        });
        const [after, redisAfter] = await cpuMs();
        return {
          ...answer,
          cpuMs: (after - before) / some,
          redisMs: (redisAfter - redisBefore) / some,
        };
      };
      const cold = await click(COLD, 1);
      await click(WARM_UP, AT_ONCE);
      const together = await click(TOGETHER, AT_ONCE);
      const single = await click(ONE_BY_ONE, 1);
      return sampleOf(cold, single, together);
    },
  };
}

type Measured = WorldAnswer & { readonly cpuMs: number; readonly redisMs: number };

function sampleOf(cold: Measured, single: Measured, together: Measured): Sample {
  return {
    'cold shown p50 ms': shownP50(cold),
    'cold cpu ms each': cold.cpuMs,
    'shown p50 ms': shownP50(single),
    'one by one cpu ms each': single.cpuMs,
    'per second': together.clicked.length / (together.tookMs / 1_000),
    'cpu ms each': together.cpuMs,
    "Redis' cpu ms each": together.redisMs,
  };
}

function shownP50({ clicked }: WorldAnswer): number {
  return percentile(
    clicked.map(({ shownMs }) => shownMs),
    0.5,
  );
}
