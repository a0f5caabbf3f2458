import { afterAll } from 'vitest';
import { StoreError } from '../../../src/core/store/store.ts';
import type { StoreWorld } from './store-world.ts';

/** A world that can be used again. */
export interface EmptiedWorld extends StoreWorld {
  /** Removes everything, as if nothing had been written. Throws StoreError when a store is closed. */
  empty(): Promise<void>;
}

/**
 * Opens worlds that are emptied and used again by the following tests of a file, for each options by themselves:
 * opening a world costs more than most tests. One whose clock was set back, or whose store was closed, is not used again.
 * Not for tests that write checkpoints: a store remembers them.
 */
export function reusing<World extends EmptiedWorld, Options>(
  openWorld: (options?: Options) => Promise<World>,
): (options?: Options) => Promise<World> {
  const idle = new Map<Options | undefined, World[]>();
  afterAll(async () => {
    for (const world of [...idle.values()].flat()) await world[Symbol.asyncDispose]();
  });
  return async (options) => {
    const ofOptions = idle.get(options) ?? [];
    idle.set(options, ofOptions);
    const world = ofOptions.pop() ?? (await openWorld(options));
    let isSpent = false;
    return {
      ...world,
      async pass(ms) {
        isSpent ||= ms < 0;
        await world.pass(ms);
      },
      async [Symbol.asyncDispose]() {
        if (!isSpent && (await isEmptied(world))) ofOptions.push(world);
        else await world[Symbol.asyncDispose]();
      },
    };
  };
}

async function isEmptied(world: EmptiedWorld): Promise<boolean> {
  try {
    await world.empty();
    return true;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
