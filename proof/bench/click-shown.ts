import { type Clicking, clickingBots, overheadMs } from './support/clicking-bots.ts';
import { percentile } from './support/percentile.ts';
import { type Row, rounds, rowOf } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const CLICKING: Clicking = {
  warmUp: 800,
  clicks: 400,
  atOnce: 1,
  sample({ clicked }) {
    const above = clicked.map(overheadMs);
    const calls = clicked.map(({ callsMs }) => callsMs);
    return {
      'above the calls p50 ms': percentile(above, 0.5),
      'p99 ms': percentile(above, 0.99),
      'calls p50 ms': percentile(calls, 0.5),
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
export async function clickShown(): Promise<Row[]> {
  await using world = await startWorld();
  const contenders = clickingBots(world, CLICKING);
  const samples = await rounds('Click → outcome shown, one at a time', 3, contenders);
  const [theirs, ours] = contenders;
  const shown = 'shown p50 ms';
  return [
    rowOf('click-shown', 'ms', samples, [ours.name, shown], [ours.name, 'calls p50 ms']),
    rowOf('click-shown-beside-bot', 'ms', samples, [ours.name, shown], [theirs.name, shown]),
  ];
}
