import type { Logger } from 'pino';
import { resumeSuspended } from '../approvals/decision/resume.ts';
import { UNPOLLED } from '../approvals/lists.ts';
import type { IntakeCore } from '../approvals/ways-in/intake-calls.ts';
import { aboutStore, storeAlert } from '../core/alerts/alert-now.ts';
import { raiseAlert } from '../core/alerts/raise-alert.ts';
import { watchService } from '../core/alerts/unreachable.ts';
import type { Config } from '../core/config/config.ts';
import type { ReadConfig } from '../core/config/read-config.ts';
import { type Rules, rulesOf } from '../core/config/rules.ts';
import type { RecordRunner } from '../core/engine/reconciler.ts';
import { type Connect, connectThrough } from '../core/http/exchange.ts';
import { createHttpListener } from '../core/http/listener.ts';
import { type About, createMetrics } from '../core/http/metrics.ts';
import { createGiveWay } from '../core/lib/give-way.ts';
import { createSecretBox } from '../core/lib/secret-box.ts';
import type { OnCall } from '../core/lib/seen-call.ts';
import { type System, system } from '../core/lib/system.ts';
import { type Timing, TRUE_TIME } from '../core/lib/timing.ts';
import { noService } from '../core/service/no-service.ts';
import { createServiceClient } from '../core/service/service-client.ts';
import { signatureChecker } from '../core/store/audit-chain.ts';
import { openStore } from '../core/store/open-store.ts';
import { watchStore } from '../core/store/watched-store.ts';
import { createLiveCatalogue } from '../operations/catalogue/live-catalogue.ts';
import { type AuditOutput, fileOutput, streamOutput } from './audit-output.ts';
import { type BaseDependencies, createDependencies } from './dependencies.ts';
import { createRuleFollower, registerHandlers } from './handlers.ts';
import { createLoop } from './loop.ts';
import { noteStart } from './note-start.ts';
import { createObserver, overviewOf } from './observer.ts';
import { rulesReloader } from './reload-rules.ts';
import { startSealing } from './seal-audit.ts';
import { type App, serve } from './serve.ts';
import { startAuditStream } from './stream-audit.ts';

/** How Gatepost reaches other systems, and is reached. */
interface Edges {
  /** For outgoing requests. */
  readonly connect: Connect;
  /** For incoming requests. */
  readonly listen: typeof createHttpListener;
  readonly openStore: typeof openStore;
}

const edgesOf = ({ proxies }: Config): Edges => ({
  connect: connectThrough(proxies),
  listen: createHttpListener,
  openStore,
});

/** Defaults to the machine's own system and edges. */
interface AppNeeds extends Partial<System>, Partial<Edges> {
  readonly config: Config;
  readonly logger: Logger;
  /** Default: real time. */
  readonly timing?: Timing;
  /** The package's version, for the audit log. */
  readonly version?: string;
  /** For AUDIT_LOG=stdout. */
  readonly stdout?: NodeJS.WritableStream;
  /** The process's usage, for the metrics; absent: left out. */
  readonly usage?: Pick<About, 'node' | 'usage'>;
}

interface Reloading {
  /** Replaces the routes' rules with those just read. Never rejects. */
  reload(read: ReadConfig): Promise<void>;
}

/**
 * Assembles and starts Gatepost. Resolves when it is ready; rejects with SlackStartError, StoreError or
 * FolderInUseError when it cannot start.
 */
export async function startApp(needs: AppNeeds): Promise<App & Reloading> {
  const rules = rulesOf(needs.config);
  const { config } = rules;
  const ground = { ...system, ...edgesOf(config), timing: TRUE_TIME, ...needs, config };
  const opened = await ground.openStore(config, ground);
  const { version = 'unknown', usage } = ground;
  const metrics = createMetrics(
    usage && { ...usage, version, store: opened.name, budgetPerMinute: config.budgetPerMinute },
  );
  const observer = createObserver({ ...ground, metrics });
  const { store, health } = watchStore(opened, {
    ...ground,
    onAnswer: observer.storeAnswered,
    onFailure: observer.storeFailed,
  });
  metrics.onScrape(() => overviewOf(store, config));
  const watch = watchService({
    clock: ground.clock,
    raise(news) {
      raiseAlert({ store, administrators: config.administrators }, news).catch((error: unknown) => {
        ground.logger.warn({ err: error }, 'could not alert administrators');
      });
    },
  });
  const onCall: OnCall = (call) => {
    observer.calledService(call);
    watch(call);
  };
  const { dialect } = config;
  const service =
    config.service === null
      ? noService(onCall)
      : createServiceClient({ ...config.service, ...ground, dialect, onCall });
  const close = async () => {
    health.stop();
    await service.close();
    await store[Symbol.asyncDispose]();
  };
  try {
    const box = createSecretBox(config.keys, ground.random);
    const giveWay = createGiveWay(ground);
    const made = {
      giveWay,
      metrics,
      onSlackCall: observer.calledSlack,
      store,
      health,
      service,
      box,
    };
    return await run({ ...ground, version, ...made, rules }, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function run(
  needs: Omit<BaseDependencies, 'refreshCatalogue'> &
    Pick<Edges, 'listen'> &
    Pick<AppNeeds, 'stdout'> & { readonly version: string; readonly rules: Rules },
  close: () => Promise<void>,
): Promise<App & Reloading> {
  const catalogue = createLiveCatalogue({
    ...needs,
    sources: needs.config.sources,
    everyMs: needs.timing.catalogueMs,
    extend: needs.rules.extendCatalogue,
  });
  const base = { ...needs, refreshCatalogue: catalogue.refresh };
  const { dependencies, slack } = await createDependencies(base);
  const { metrics } = base;
  const { waiting, callbacks, callers } = dependencies;
  // Work on a record can start work on others.
  const runner: RecordRunner = {
    get hasRoom() {
      return reconciler.hasRoom;
    },
    run: (held) => reconciler.run(held),
  };
  const reconciler = createLoop({ ...dependencies, reconciler: runner, giveWay: base.giveWay });
  const routes = registerHandlers(slack.listeners, { ...dependencies, reconciler });
  reportHealth(base, dependencies);
  // Version 0.1 stopped polling these: two are resumed once the loop runs, and each resumes the next ones.
  await resumeSuspended({ ...base, reconciler: { ...reconciler, hasRoom: false } }, UNPOLLED);
  const run = base.random.bytes(4).toString('hex');
  const seals = await startSealing({
    ...base,
    raise: dependencies.raise,
    check: signatureChecker(base.config.keys),
    run,
    auditMs: base.config.retention.auditMs,
    everyMs: base.timing.sealMs,
  });
  const stream = streamOf(base, dependencies, run);
  const noteStop = await noteStart({ ...base, run }).catch(async (error: unknown) => {
    await seals.stop();
    await stream?.stop();
    throw error;
  });
  const stopped = async () => {
    catalogue.stop();
    await noteStop();
    await seals.stop();
    await stream?.stop();
  };
  const closeNoted = async () => {
    await callbacks.close();
    await callers.close();
    await stopped().finally(close);
  };
  await catalogue.start();
  const following = createRuleFollower({ ...dependencies, reconciler });
  const onStopping = () => {
    waiting.stop();
    following.stop();
  };
  const serving = { ...base, metrics, slack, reconciler, routes, onStopping, close: closeNoted };
  const app = await serve(serving).catch(async (error: unknown) => {
    await stopped();
    throw error;
  });
  if (base.config.service === null) {
    base.logger.info({}, 'own gates only: SERVICE_URL is not set');
  }
  const reload = rulesReloader({ ...base, run });
  await following.follow();
  return {
    ...app,
    async reload(read) {
      await reload(read);
      await following.follow();
    },
  };
}

/** undefined: AUDIT_LOG is not set. */
function streamOf(
  base: BaseDependencies & Pick<AppNeeds, 'stdout'>,
  { raise }: Pick<IntakeCore, 'raise'>,
  run: string,
) {
  const { config, stdout, timing } = base;
  const { auditLog } = config;
  if (auditLog === null) return undefined;
  const streamTo = (output: AuditOutput) =>
    startAuditStream({ ...base, raise, output, run, everyMs: timing.auditLogMs });
  if (auditLog !== 'stdout') return streamTo(fileOutput(auditLog.file));
  if (stdout === undefined) throw new Error('there is no standard output');
  return streamTo(streamOutput(stdout));
}

/** Reports in the log and metrics whether the store accepts writes, and alerts administrators when it does not. */
function reportHealth(
  base: BaseDependencies,
  { metrics, alertNow }: Pick<IntakeCore, 'metrics' | 'alertNow'>,
): void {
  const { logger, store, health } = base;
  metrics.set('storeUp', null, 1);
  metrics.count('alert', { cause: aboutStore(store.name) }, 0);
  if (store.name === 'redis') metrics.count('alert', { cause: aboutStore(store.name, true) }, 0);
  let logged: number | undefined;
  health.start(store, (state, error, part) => {
    const share = state === 'up' ? 1 : part === null ? 0 : 1 - part.shards / part.ofShards;
    metrics.set('storeUp', null, share);
    if (state === 'down') alertNow(storeAlert(store.name, error, part));
    if (share === logged) return;
    logged = share;
    const { shards, ofShards, servers } = part ?? {};
    const facts = { store: store.name, shards, ofShards, servers, ...(error && { err: error }) };
    if (state === 'up') logger.info(facts, 'the store takes writes again');
    else if (part === null) logger.error(facts, 'the store takes no writes');
    else logger.error(facts, 'a part of the store takes no writes');
  });
}
