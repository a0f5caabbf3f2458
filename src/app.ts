import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { createAccess } from './approvals/access.ts';
import { APPROVAL_KIND, createApprovalFlow } from './approvals/approval-flow.ts';
import { approvalEntrances } from './approvals/entrances.ts';
import { intakePaths } from './approvals/intake-openapi.ts';
import { NOT_LET_IN } from './approvals/standstill.ts';
import { wake } from './approvals/wake.ts';
import type { Config } from './config/config.ts';
import { createMetrics, type Metrics } from './http/metrics.ts';
import { openapiRoute } from './http/openapi.ts';
import { ageClock, type Clock, systemClock } from './lib/clock.ts';
import { createSecretBox, type SecretBox } from './lib/secret-box.ts';
import { NOTICE_KIND } from './notices/notice.ts';
import { createNoticeFlow } from './notices/notice-flow.ts';
import { type Raise, raiseNotice } from './notices/raise-notice.ts';
import { stuckNotice } from './notices/stuck-notice.ts';
import { CHANGE_KIND } from './people/change/account-change.ts';
import { createChangeFlow } from './people/change/change-flow.ts';
import { createDirectory, type Directory } from './people/directory.ts';
import { leaverListeners } from './people/leavers/listeners.ts';
import { peopleListeners } from './people/manage/listeners.ts';
import { meListeners } from './people/me/listeners.ts';
import { pinListeners } from './people/pins/listeners.ts';
import { createRefusedFlow, REFUSED_KIND } from './people/refused-record.ts';
import { createPostingQueue, type PostingQueue } from './posts/posting-queue.ts';
import { createReconciler, type Reconciler } from './reconcile/reconciler.ts';
import { type WorkNeeds, work } from './reconcile/work.ts';
import { type App, serve } from './serve.ts';
import { createServiceClient, type ServiceClient } from './service/service-client.ts';
import { createSlackApp, type SlackApp } from './slack/bolt-app.ts';
import { createLookup, type Lookup } from './slack/lookup.ts';
import { createModals, type Modals } from './slack/modals.ts';
import { createOutbox, type Outbox } from './slack/outbox.ts';
import { createPermalinks, type Permalink } from './slack/permalink.ts';
import type { Listeners } from './slack/register.ts';
import { REQUIRED_SCOPES } from './slack/scopes.ts';
import { createWebClients } from './slack/web-clients.ts';
import { createWords, type Words } from './slack/words.ts';
import { openStore } from './store/open-store.ts';
import type { Held, Store } from './store/store.ts';
import { taskEntrances } from './tasks/entrances.ts';
import { MOVE_KIND } from './tasks/move.ts';
import { createMoveFlow } from './tasks/move-flow.ts';
import { createSnapshotFlow } from './tasks/snapshot-flow.ts';
import { SNAPSHOT_KIND } from './tasks/snapshot-post.ts';
import { tasksPaths } from './tasks/tasks-openapi.ts';
import { createCaseFlow } from './test-cases/case-flow.ts';
import { CASE_KIND } from './test-cases/case-record.ts';
import { caseListeners } from './test-cases/listeners.ts';
import { createBatchFlow } from './test-cases/several/batch-flow.ts';
import { BATCH_KIND } from './test-cases/several/batch-record.ts';
import { severalListeners } from './test-cases/several/listeners.ts';

export interface AppNeeds {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock?: Clock;
}

/**
 * Puts Gatepost together and starts it. Resolves when it is ready; rejects with SlackStartError,
 * StoreError or FolderInUseError when it cannot be.
 */
export async function startApp(needs: AppNeeds): Promise<App> {
  const clock = needs.clock ?? systemClock;
  const { config, logger } = needs;
  const store = await openStore(config, { logger, clock });
  const service = createServiceClient({ ...config.service, dialect: config.dialect, clock });
  const close = async () => {
    await service.close();
    await store[Symbol.asyncDispose]();
  };
  try {
    const box = createSecretBox(config.keys);
    return await run({ config, logger, clock, store, service, box, close });
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  readonly config: Config;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly store: Store;
  readonly service: ServiceClient;
  readonly box: SecretBox;
  readonly close: () => Promise<void>;
}

async function run(parts: Parts): Promise<App> {
  const { config, logger, clock, store, service, box } = parts;
  const metrics = createMetrics();
  const clients = createWebClients({ ...config.slack, logger }, clock);
  const words = createWords({ client: clients.interactive, apiUrl: config.slack.apiUrl, clock });
  const slack = createSlackApp({
    signingSecret: config.slack.signingSecret,
    client: clients.lookup,
    words,
    logger,
    now: () => clock.now(),
    sleep,
    newReference,
  });
  const me = await slack.init();
  warnOfScopes(slack, logger);
  const { administrators } = config;
  const ages = ageClock(clock);
  const raise: Raise = (news) => raiseNotice({ store, administrators }, news);
  const world: World = {
    metrics,
    raise,
    directory: createDirectory({
      users: service.users,
      overrides: config.identityOverrides,
      userId: config.identityUserId,
      store,
      raise,
      clock: ages,
    }),
    words,
    queue: createPostingQueue(clock),
    lookup: createLookup({ client: clients.lookup, clock: ages }),
    outbox: createOutbox({ client: clients.outbox, botId: () => me.botId }),
    modals: createModals(clients.interactive),
    permalink: createPermalinks({ client: clients.lookup, clock }),
    workspace: { team: me.teamId, enterprise: me.enterpriseId, teams: config.teams },
  };
  const { modals } = world;
  const reconciler = createLoop(parts, world);
  const approvals = approvalEntrances({
    ...world,
    store,
    reconciler,
    sources: config.sources,
    routes: config.routes,
    seal: (plain, what) => box.seal(plain, `approval.${what}`),
    open: (sealed, what) => box.open(sealed, `approval.${what}`),
    openModal: (triggerId, view) => modals.open(triggerId, view),
    newId: randomUUID,
    now: () => store.now(),
    onClick: (result) => metrics.click(result),
    onIntake: (result) => metrics.intake(result),
    wake: (list) => wake({ store, reconciler }, list),
  });
  const tasks = createTaskEntrances(parts, world, reconciler);
  const cases = createCaseListeners(parts, world, reconciler);
  const people = createPeopleListeners(parts, world, reconciler);
  const listeners = [...approvals.listeners, tasks.listeners, ...cases, ...people];
  for (const each of listeners) slack.register(each);
  const documented = openapiRoute({ ...intakePaths(), ...tasksPaths() });
  const routes = [...approvals.routes, ...tasks.routes, documented];
  const app = await serve({ ...parts, metrics, slack, reconciler, routes });
  // Whoever started it may have mended its access to the service.
  wake({ store, reconciler }, NOT_LET_IN).catch((error: unknown) => {
    logger.warn({ err: error }, 'could not try again what the service did not let in');
  });
  return app;
}

function createTaskEntrances(parts: Parts, world: World, reconciler: Reconciler) {
  const { config, store, service } = parts;
  return taskEntrances({
    ...world,
    store,
    reconciler,
    places: config,
    policy: world,
    items: { store, source: config.move.source, read: service.tasks?.read ?? null },
    sources: config.sources,
    routes: config.routes,
    newId: randomUUID,
    sleep: (ms) => sleep(ms),
    onIntake: (result) => world.metrics.intake(result),
  });
}

function createCaseListeners(
  { config, store }: Parts,
  world: World,
  reconciler: Reconciler,
): readonly Listeners[] {
  const policy = { ...world, who: config.cases.who };
  const needs = { ...world, store, reconciler, places: config, policy };
  return [caseListeners(needs), severalListeners(needs)];
}

function createPeopleListeners(
  { config, store, service, clock }: Parts,
  world: World,
  reconciler: Reconciler,
): readonly Listeners[] {
  const { administrators, accounts } = config;
  const { users } = service;
  const needs = { ...world, store, administrators, clock, sleep: (ms: number) => sleep(ms) };
  return [
    peopleListeners({ ...needs, reconciler, users, newId: randomUUID }),
    leaverListeners({ ...needs, ...accounts, reconciler, users }),
    meListeners(needs),
    pinListeners(needs),
  ];
}

/** What features need of Slack. */
interface World {
  readonly metrics: Metrics;
  readonly raise: Raise;
  readonly directory: Directory;
  readonly words: Words;
  readonly queue: PostingQueue;
  readonly lookup: Lookup;
  readonly outbox: Outbox;
  readonly modals: Modals;
  readonly permalink: Permalink;
  readonly workspace: { team: string; enterprise: string | null; teams: readonly string[] };
}

/** The loop over everything that is kept, with what its steps need of the world. */
function createLoop(
  { config, logger, clock, store, service, box }: Parts,
  world: World,
): Reconciler {
  const { metrics, words, lookup, outbox, raise } = world;
  let polled = 0;
  const approvals = createApprovalFlow({
    ...world,
    config,
    budgetPerMinute: config.budgetPerMinute,
    random: Math.random,
    pending: () => polled,
    service: service.approvals,
    store,
    wake: (list) => wake({ store, reconciler }, list),
    access: createAccess(),
    open: (sealed, what) => box.open(sealed, `approval.${what}`),
    routeNamed: (name) => config.routes.find((route) => route.name === name),
  });
  const notices = createNoticeFlow({ words, lookup, logger });
  const moves = createMoveFlow({
    ...world,
    store,
    service: service.tasks,
    places: config,
    policy: world,
    keepMs: config.retention.doneMs,
  });
  const caseNeeds = {
    ...world,
    store,
    service: service.testCases,
    places: config,
    who: config.cases.who,
    keepMs: config.retention.doneMs,
  };
  const cases = createCaseFlow(caseNeeds);
  const batches = createBatchFlow({ ...caseNeeds, budgetPerMinute: config.budgetPerMinute });
  const changes = createChangeFlow({
    ...world,
    store,
    users: service.users,
    administrators: config.administrators,
    keepMs: config.retention.doneMs,
  });
  const snapshots = createSnapshotFlow({ outbox, store });
  const refused = createRefusedFlow();
  const workNeeds = workNeedsOf(store, clock, metrics, logger);
  const reconciler = createReconciler({
    store,
    workers: {
      [APPROVAL_KIND]: (held: Held) => work(held, approvals, workNeeds),
      [NOTICE_KIND]: (held: Held) => work(held, notices, workNeeds),
      [MOVE_KIND]: (held: Held) => work(held, moves, workNeeds),
      [CASE_KIND]: (held: Held) => work(held, cases, workNeeds),
      [BATCH_KIND]: (held: Held) => work(held, batches, workNeeds),
      [CHANGE_KIND]: (held: Held) => work(held, changes, workNeeds),
      [SNAPSHOT_KIND]: (held: Held) => work(held, snapshots, workNeeds),
      [REFUSED_KIND]: (held: Held) => work(held, refused, workNeeds),
    },
    logger,
    newReference,
    onStore: (isUp) => metrics.storeUp(isUp),
    onStuck(record) {
      raise(stuckNotice(record)).catch((error: unknown) => {
        logger.warn({ err: error }, 'administrators could not be told');
      });
    },
    onSize(lane, size) {
      if (lane === 'background') polled = size;
      metrics.records(lane, size);
    },
  });
  return reconciler;
}

function workNeedsOf(store: Store, clock: Clock, metrics: Metrics, logger: Logger): WorkNeeds {
  return {
    store,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => sleep(ms),
    newId: randomUUID,
    onStep({ step, result, failure, record, tookMs }) {
      metrics.step(step, failure === undefined ? result : 'failed', tookMs);
      if (failure === undefined) return;
      const { class: kind, code, status } = failure;
      logger.warn({ record, step, class: kind, code, status }, 'a step failed');
    },
  };
}

function warnOfScopes(slack: SlackApp, logger: Logger): void {
  const missing = slack
    .missingScopes(Object.keys(REQUIRED_SCOPES))
    .map((scope) => `${scope}: ${REQUIRED_SCOPES[scope as keyof typeof REQUIRED_SCOPES]}`);
  if (missing.length > 0) logger.warn({ missing }, 'Slack did not grant every scope');
}

/** Short enough to read aloud. */
function newReference(): string {
  return randomBytes(4).toString('hex');
}
