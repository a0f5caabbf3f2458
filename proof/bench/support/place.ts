import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Env } from './child.ts';
import { botEnvironment, CHANNEL, REVIEWERS } from './environment.ts';
import { type RedisServer, startRedisServer } from './redis-server.ts';

export type StoreName = 'redis' | 'embedded';

/**
 * The share of a round's requests that a store gets: the embedded one waits for the disk with every step, and fewer are
 * enough.
 */
export const PART = { redis: 1, embedded: 1 / 4 } as const satisfies Record<StoreName, number>;

/** Where records are kept for one round; removed afterwards. */
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

export function channelNames(count: number): string[] {
  return Array.from({ length: count }, (_, at) => `C0BENCH${String(at).padStart(4, '0')}`);
}

/**
 * A place on Redis for a bot with a `gatepost.yaml`: its whole environment. `channels`: those that its source can name;
 * `outcomes`: a channel where outcomes are announced.
 */
export async function configuredPlace(
  world: { readonly url: string },
  channels: readonly string[],
  outcomes: string | null = null,
): Promise<Place & { readonly server: RedisServer }> {
  const server = await startRedisServer();
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-bench-'));
  const path = join(folder, 'gatepost.yaml');
  const reviewers = { users: REVIEWERS };
  // JSON is also YAML.
  const config = JSON.stringify({
    sources: [{ id: 'default', secret: 'GATEPOST_INTAKE_SECRET', routes: ['default'], channels }],
    routes: { default: { channel: CHANNEL, reviewers, outcomes: { channel: outcomes } } },
    cases: { who: reviewers, identity: 'omit' },
    catalogue: { testProjects: [{ id: 'p1', name: 'Checkout', space: 'eng', suites: [] }] },
  });
  await writeFile(path, config);
  const { GATEPOST_CHANNEL, GATEPOST_REVIEWERS, ...env } = botEnvironment(world, {
    REDIS_URL: server.url,
    GATEPOST_CONFIG: path,
    SERVICE_API_KEY: 'bench-key',
  });
  return {
    env,
    server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
