import { benchProgram } from './support/build.ts';
import { startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { storeOpenHomes } from './support/open-homes.ts';
import { percentile } from './support/percentile.ts';
import { makePlace } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import { storeClicks } from './support/waiting-approvals.ts';
import { startWorld } from './support/world.ts';

const CROWD = 10_000;
/** Enough for the Home tabs to be refreshed during the run: that starts a second after the first click. */
const CLICKS = 2_000;
const WARM_UP = 800;

/** Clicks one after the other, while nobody has their Home tab open and while 10,000 people have. */
export async function homeCrowd(): Promise<Row[]> {
  await using world = await startWorld();
  const alone = contender('no Home tab open', 0);
  const crowd = contender('10,000 Home tabs open', CROWD);
  const samples = await rounds('Click → acknowledged beside open Home tabs', 3, [alone, crowd]);
  return [
    rowOf(
      'home-crowd',
      'ms',
      samples,
      [crowd.name, 'acknowledged p50 ms'],
      [alone.name, 'acknowledged p50 ms'],
    ),
    rowOf(
      'home-crowd-p99',
      'ms',
      samples,
      [crowd.name, 'acknowledged p99 ms'],
      [alone.name, 'acknowledged p99 ms'],
    ),
  ];

  function contender(name: string, homes: number): Contender {
    return {
      name,
      async round() {
        await using place = await makePlace('redis');
        const env = botEnvironment(world, place.env);
        const clicks = await storeClicks(env, WARM_UP + CLICKS);
        await storeOpenHomes(env, homes);
        await using bot = await startChild(benchProgram('quiet-bot'), env);
        const request = { eventsUrls: [`${bot.url}/slack/events`], atOnce: 1 };
        const before = await world.click({ ...request, clicks: clicks.slice(0, WARM_UP) });
        const cpuBefore = await bot.cpuMs();
        const answer = await world.click({ ...request, clicks: clicks.slice(WARM_UP) });
        const cpuMs = (await bot.cpuMs()) - cpuBefore;
        const acknowledged = answer.clicked.map(({ ackMs }) => ackMs);
        const shown = answer.clicked.map(({ shownMs }) => shownMs);
        return {
          'acknowledged p50 ms': percentile(acknowledged, 0.5),
          'acknowledged p99 ms': percentile(acknowledged, 0.99),
          'shown p50 ms': percentile(shown, 0.5),
          'shown p99 ms': percentile(shown, 0.99),
          'took s': answer.tookMs / 1_000,
          'Home tabs published': answer.published - before.published,
          'cpu ms each': cpuMs / CLICKS,
        };
      },
    };
  }
}
