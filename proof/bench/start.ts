import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { makePlace, type StoreName } from './support/place.ts';
import { type Contender, type Row, rounds, rowOf } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

/** From the start of the process to its "ready" line, on an empty store. */
export async function start(): Promise<Row[]> {
  await using world = await startWorld();
  const other = contender('bare Bolt', benchProgram('bare-bolt'), 'redis');
  const ours = contender('Gatepost, redis', PROGRAM, 'redis');
  const samples = await rounds('Start → ready', 5, [
    other,
    ours,
    contender('Gatepost, embedded', PROGRAM, 'embedded'),
  ]);
  return [rowOf('start', 'ms', samples, [ours.name, 'ready ms'], [other.name, 'ready ms'])];

  function contender(name: string, program: string, store: StoreName): Contender {
    return {
      name,
      async round() {
        await using place = await makePlace(store);
        await using child = await startChild(program, botEnvironment(world, place.env));
        return { 'ready ms': child.readyMs, 'resident MB': await child.residentMb() };
      },
    };
  }
}
