import { type Clicking, clickingBots } from './support/clicking-bots.ts';
import { percentile } from './support/percentile.ts';
import { printRatio, rounds } from './support/rounds.ts';
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

/** Clicks carried out from the request to the shown outcome, twenty at a time. */
export async function clickThroughput(): Promise<void> {
  await using world = await startWorld();
  const contenders = clickingBots(world, CLICKING);
  const medians = await rounds('Clicks carried out, 20 at a time', 3, contenders);
  const [theirs, ours, embedded] = contenders.map(
    ({ name }) => medians[name]?.['per second'] ?? Number.NaN,
  );
  printRatio("Gatepost to an afternoon's bot", ours ?? 0, theirs ?? 0, 1);
  printRatio("Gatepost on the embedded store to an afternoon's bot", embedded ?? 0, theirs ?? 0);
}
