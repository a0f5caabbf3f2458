import { type Clicking, clickingBots, overheadMs } from './support/clicking-bots.ts';
import { percentile } from './support/percentile.ts';
import { rounds } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const CLICKING: Clicking = {
  warmUp: 800,
  clicks: 400,
  atOnce: 1,
  sample({ clicked }) {
    const above = clicked.map(overheadMs);
    return {
      'above the calls p50 ms': percentile(above, 0.5),
      'p99 ms': percentile(above, 0.99),
      'acknowledged p50 ms': percentile(
        clicked.map(({ ackMs }) => ackMs),
        0.5,
      ),
      'shown p50 ms': percentile(
        clicked.map(({ shownMs }) => shownMs),
        0.5,
      ),
    };
  },
};

/** From a click to its outcome in the message, one click after the other. */
export async function clickShown(): Promise<void> {
  await using world = await startWorld();
  await rounds('Click → outcome shown, one at a time', 3, clickingBots(world, CLICKING));
  console.log('  wanted: at most 3 ms above the calls at the median');
}
