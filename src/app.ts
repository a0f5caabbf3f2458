import type { Logger } from 'pino';
import { type BaseDependencies, createDependencies } from './app/dependencies.ts';
import { registerHandlers } from './app/handlers.ts';
import { createLoop } from './app/loop.ts';
import { noteStart } from './app/note-start.ts';
import { createObserver } from './app/observer.ts';
import { watchStore } from './app/watch-store.ts';
import { UNAUTHORIZED } from './approvals/lists.ts';
import { resumeSuspended } from './approvals/steps/resume.ts';
import type { Config } from './config/config.ts';
import { type About, createMetrics } from './http/metrics.ts';
import { createSecretBox } from './lib/secret-box.ts';
import { type System, system } from './lib/system.ts';
import { type Timing, TRUE_TIME } from './lib/timing.ts';
import { type App, serve } from './serve.ts';
import { createServiceClient } from './service/service-client.ts';
import { openStore } from './store/open-store.ts';
import { StoreHealth } from './store/store-health.ts';

/** What is left out of the system is the machine's own. */
interface AppNeeds extends Partial<System> {
  readonly config: Config;
  readonly logger: Logger;
  /** Without it the true one. */
  readonly timing?: Timing;
  /** Of the package, for the audit log. */
  readonly version?: string;
  /** For the metrics: of the process. Without it they leave that out. */
  readonly usage?: Pick<About, 'node' | 'usage'>;
}

/**
 * Puts Gatepost together and starts it. Resolves when it is ready; rejects with SlackStartError,
 * StoreError or FolderInUseError when it cannot be.
 */
export async function startApp(needs: AppNeeds): Promise<App> {
  const ground = { ...system, timing: TRUE_TIME, ...needs };
  const { config } = ground;
  const opened = await openStore(config, ground);
  const { version = 'unknown', usage } = ground;
  const metrics = createMetrics(
    usage && { ...usage, version, store: opened.name, budgetPerMinute: config.budgetPerMinute },
  );
  const observer = createObserver({ ...ground, metrics });
  const health = new StoreHealth(observer.observed(opened), ground);
  const { store } = health;
  const service = createServiceClient({
    ...config.service,
    ...ground,
    dialect: config.dialect,
    onCall: observer.calledService,
  });
  const close = async () => {
    health.stop();
    await service.close();
    await store[Symbol.asyncDispose]();
  };
  try {
    const box = createSecretBox(config.keys, ground.random);
    const made = { metrics, onSlackCall: observer.calledSlack, store, health, service, box };
    return await run({ ...ground, version, ...made }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function run(
  base: BaseDependencies & { readonly version: string },
  close: () => Promise<void>,
): Promise<App> {
  const { store, logger } = base;
  const { dependencies, slack } = await createDependencies(base);
  const { metrics } = base;
  const { waiting, callbacks } = dependencies;
  const reconciler = createLoop(base, dependencies);
  const routes = registerHandlers(slack, base, dependencies, reconciler);
  watchStore(base, dependencies);
  const stopped = await noteStart(base);
  const closeNoted = async () => {
    await callbacks.close();
    await stopped().finally(close);
  };
  const onStopping = () => waiting.stop();
  const needs = { ...base, metrics, slack, reconciler, routes, onStopping, close: closeNoted };
  const app = await serve(needs).catch(async (error: unknown) => {
    await stopped();
    throw error;
  });
  // Whoever started it may have mended its access to the service.
  resumeSuspended({ store, reconciler }, UNAUTHORIZED).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not resume the approvals that the service had suspended');
  });
  return app;
}
