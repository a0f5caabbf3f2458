import { type Clicking, clickingBots } from './support/clicking-bots.ts';
import { percentile } from './support/percentile.ts';
import { type Row, rounds, rowOf } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const CLICKING: Clicking = {
  warmUp: 1_200,
  clicks: 3_000,
  atOnce: 20,
  sample({ clicked, tookMs }) {
    const shown = clicked.map(({ shownMs }) => shownMs);
    return {
      'per second': clicked.length / (tookMs / 1000),
      'shown p50 ms': percentile(shown, 0.5),
      'p99 ms': percentile(shown, 0.99),
    };
  },
};

/** Clicks from the request to the shown outcome, twenty at a time. */
export async function clickThroughput(): Promise<Row[]> {
  await using world = await startWorld();
  const contenders = clickingBots(world, CLICKING);
  const samples = await rounds('Clicks carried out, 20 at a time', 3, contenders);
  const [theirs, ours] = contenders;
  const rate = 'per second';
  return [rowOf('carried-out', 'clicks/s', samples, [ours.name, rate], [theirs.name, rate])];
}
