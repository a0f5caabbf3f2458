import { Redis } from 'ioredis';
import { benchProgram } from './build.ts';
import { startChild } from './child.ts';
import type { Click } from './click.ts';
import type { Clicked } from './clicker.ts';
import { botEnvironment } from './environment.ts';
import { makePlace, PART, type StoreName } from './place.ts';
import type { Contender, Sample } from './rounds.ts';
import { storeClicks } from './waiting-approvals.ts';
import type { World, WorldAnswer } from './world.ts';

/** The clicks, how many at a time, and the figures made of them. */
export interface Clicking {
  readonly warmUp: number;
  readonly clicks: number;
  readonly atOnce: number;
  readonly sample: (answer: WorldAnswer) => Sample;
}

/** The afternoon's bot, then Gatepost on each store: each processes every click up to its shown outcome. */
export function clickingBots(
  world: World,
  clicking: Clicking,
): readonly [Contender, Contender, Contender] {
  const contender = (name: string, program: string, store: StoreName): Contender => ({
    name,
    async round() {
      await using place = await makePlace(store);
      const env = botEnvironment(world, place.env);
      const warmUp = clicking.warmUp * PART[store];
      const clicks = await storeClicks(env, warmUp + clicking.clicks * PART[store]);
      if (env.REDIS_URL !== undefined) await storeTokens(env.REDIS_URL, clicks);
      await using bot = await startChild(benchProgram(program), env);
      const { atOnce } = clicking;
      const request = { eventsUrls: [`${bot.url}/slack/events`], atOnce };
      await world.click({ ...request, clicks: clicks.slice(0, warmUp) });
      const counted = clicks.slice(warmUp);
      const cpuBefore = await bot.cpuMs();
      const answer = await world.click({ ...request, clicks: counted });
      const cpuMs = (await bot.cpuMs()) - cpuBefore;
      return { ...clicking.sample(answer), 'cpu ms each': cpuMs / counted.length };
    },
  });
  return [
    contender("an afternoon's bot", 'afternoon-bot', 'redis'),
    contender('Gatepost, redis', 'quiet-bot', 'redis'),
    contender('Gatepost, embedded', 'quiet-bot', 'embedded'),
  ];
}

/** The tokens that the afternoon's bot reads. */
export async function storeTokens(url: string, clicks: readonly Click[]): Promise<void> {
  const redis = new Redis(url);
  await redis.mset(clicks.flatMap(({ value, token }) => [`approval:${value}`, token]));
  await redis.quit();
}

/** The time that Gatepost or its rival adds to the calls that cannot be avoided. */
export function overheadMs({ shownMs, callsMs }: Clicked): number {
  return shownMs - callsMs;
}
