import { benchProgram, PROGRAM } from './support/build.ts';
import { startChild } from './support/child.ts';
import { botEnvironment } from './support/environment.ts';
import { makePlace, type StoreName } from './support/place.ts';
import { type Contender, rounds } from './support/rounds.ts';
import { startWorld } from './support/world.ts';

/** From the start of the process to its line that says ready, on an empty store. */
export async function start(): Promise<void> {
  await using world = await startWorld();
  await rounds('Start → ready', 5, [
    contender('bare Bolt', benchProgram('bare-bolt'), 'redis'),
    contender('Gatepost, redis', PROGRAM, 'redis'),
    contender('Gatepost, embedded', PROGRAM, 'embedded'),
  ]);
  console.log('  wanted: ready within 1,000 ms');

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
