import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './child.ts';
import { startRedisServer } from './redis-server.ts';

export type StoreName = 'redis' | 'embedded';

/** How many of a round's requests a store gets: the embedded one waits for the disk with every step, and fewer say as much. */
export const PART = { redis: 1, embedded: 1 / 4 } as const satisfies Record<StoreName, number>;

/** Where records are kept for one round; it goes afterwards. */
export interface Place extends AsyncDisposable {
  readonly env: Env;
}

export async function makePlace(store: StoreName): Promise<Place> {
  if (store === 'redis') {
    const server = await startRedisServer();
    return {
      env: { REDIS_URL: server.url },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-bench-'));
  return {
    env: { DATA_DIR: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}
