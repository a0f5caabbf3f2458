import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { LISTENERS } from './support/listeners.ts';
import { percentile } from './support/percentile.ts';
import { configuredPlace } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

const COMMANDS = 600;
const WARM_UP = 600;

/** From `/new-case` to its open modal, one at a time, compared with Bolt that acknowledges and opens one. */
export async function modal(): Promise<Row[]> {
  await using world = await startWorld();
  const other = contender('bare Bolt, same listeners', benchProgram('bare-bolt'));
  const ours = contender('Gatepost, redis', PROGRAM);
  const samples = await rounds('/new-case → modal open', 3, [other, ours]);
  return [rowOf('modal', 'ms', samples, [ours.name, 'p50 ms'], [other.name, 'p50 ms'])];

  function contender(name: string, program: string): Contender {
    return {
      name,
      async round() {
        await using place = await configuredPlace(world, []);
        await using bot = await startChild(program, { ...place.env, LISTENERS });
        const eventsUrl = `${bot.url}/slack/events`;
        await world.command({ eventsUrl, commands: WARM_UP });
        const took = await world.command({ eventsUrl, commands: COMMANDS });
        return { 'p50 ms': percentile(took, 0.5), 'p99 ms': percentile(took, 0.99) };
      },
    };
  }
}
