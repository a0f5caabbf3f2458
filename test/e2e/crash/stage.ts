import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import process from 'node:process';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { ServiceFault } from '../../../sandbox/service/service-handle.ts';
import type { WorkspaceFault } from '../../../sandbox/workspace/workspace-handle.ts';
import { botEnvironment, MODE } from '../../support/bot-config.ts';
import { type BotProcess, startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis, type RedisServer, startRedisServer } from '../../support/redis.ts';
import { driving, startPatientSandbox, type World } from '../../support/world.ts';

export type StoreName = 'embedded' | 'redis';

/** The available stores; in Socket Mode one is enough, because no store is affected by it. */
export async function everyStore(): Promise<StoreName[]> {
  const stores: StoreName[] = (await canStartRedis()) ? ['embedded', 'redis'] : ['embedded'];
  return MODE === 'socket' ? stores.slice(-1) : stores;
}

/** All random choices of a run come from it. */
export const SEED = Number(process.env.TEST_SEED);

/**
 * The store for the stories of a file; another seed may choose another one. What they prove is the same on both, and
 * the stores' differences are covered by their contract. `file` is its `import.meta.url`.
 */
export async function storeOfRun(file: string): Promise<StoreName[]> {
  const stores = await everyStore();
  const drawn = createHash('sha256')
    .update(`${SEED} ${basename(file)}`)
    .digest();
  return [stores[drawn.readUInt8() % stores.length] ?? 'embedded'];
}

/**
 * Nothing is repeated for 15 s after its attempt was noted; between the arrivals of the first and the second it may be
 * a little less. A dead process's lease ends before that.
 */
export const QUIET_MS = 12_000;

/** A sandbox with the built program, which can be killed and started again on the same records. */
export interface Stage
  extends AsyncDisposable,
    Pick<World, 'sandbox' | 'ask' | 'click' | 'read' | 'until' | 'told'> {
  /** The environment of the bot. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The last one started. */
  readonly bot: BotProcess;
  /** The server that keeps the records; only with the store `redis`. */
  readonly redis: RedisServer;
  /** kill -9, in this very moment. */
  kill(): void;
  /** Starts the program again on the same records, after the last one is gone. */
  restart(): Promise<void>;
  /** A fault of the service at which the bot is killed. */
  killedAt(fault: ServiceFault): void;
  /** A fault of the workspace at which the bot is killed. */
  killedAtSlack(fault: WorkspaceFault): void;
}

const PRESS_DECIDES = 'test/support/press-decides.yaml';

export async function startStage(
  store: StoreName,
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Stage> {
  const records = await keepRecords(store);
  const sandbox = await startPatientSandbox();
  const file = env.GATEPOST_REVIEWERS === undefined && { GATEPOST_CONFIG: PRESS_DECIDES };
  const own = { ...file, ...env, ...records.env };
  const start = () => startBotProcess(sandbox, own);
  let bot = await start();
  const kill = () => void bot.kill();
  /** `when` is called once the request has arrived in full, before it is processed. */
  const deadly = <Request>(fault: { readonly when?: (request: Request) => boolean }) => ({
    times: 1,
    when(request: Request) {
      if (fault.when?.(request) === false) return false;
      kill();
      return true;
    },
  });
  return {
    sandbox,
    ...driving(sandbox),
    env: botEnvironment(sandbox, own),
    get bot() {
      return bot;
    },
    get redis() {
      if (records.server === undefined) throw new Error('the records are in a folder');
      return records.server;
    },
    kill,
    async restart() {
      await bot.kill();
      bot = await start();
    },
    killedAt: (fault) => sandbox.service.fault({ ...fault, ...deadly(fault) }),
    killedAtSlack: (fault) => sandbox.workspace.fault({ ...fault, ...deadly(fault) }),
    async [Symbol.asyncDispose]() {
      await bot.kill();
      await sandbox.close();
      await records[Symbol.asyncDispose]();
    },
  };
}

export interface Records extends AsyncDisposable {
  readonly env: Readonly<Record<string, string>>;
  readonly server?: RedisServer;
}

/** A place for records that outlives the bot: a folder, or its own server that loses nothing. */
export async function keepRecords(store: StoreName): Promise<Records> {
  if (store === 'redis') {
    const server = await startRedisServer({ appendonly: true });
    return {
      env: { REDIS_URL: server.url },
      server,
      [Symbol.asyncDispose]: () => server.stop(),
    };
  }
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-crash-'));
  return {
    env: { DATA_DIR: folder },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/** How many actions took effect in the service. */
export function effectsOf(sandbox: Sandbox, token: string): number {
  return sandbox.service.approval(token).effects.length;
}
