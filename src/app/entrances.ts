import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { accountListeners } from '../accounts/slack.ts';
import { type IntakeDependencies, intakeRoutes } from '../approvals/intake.ts';
import { intakePaths } from '../approvals/intake-contract.ts';
import { listingListeners, type ShowDependencies } from '../approvals/list/slack.ts';
import { approvalListeners, type ListenerDependencies } from '../approvals/slack.ts';
import { resumeSuspended } from '../approvals/steps/resume.ts';
import { openapiRoute } from '../http/openapi.ts';
import type { Route } from '../http/router.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { Listeners } from '../slack/register.ts';
import { taskListeners } from '../tasks/slack.ts';
import { tasksPaths } from '../tasks/task-request.ts';
import { tasksRoute } from '../tasks/tasks-route.ts';
import { severalListeners } from '../test-cases/several/slack.ts';
import { caseListeners } from '../test-cases/slack.ts';
import type { Parts, World } from './world.ts';

/** Everything that comes from Slack, and everything that comes over HTTP. */
export interface Entrances {
  readonly listeners: readonly Listeners[];
  readonly routes: readonly Route[];
}

/** The ways into every feature. */
export function createEntrances(parts: Parts, world: World, reconciler: Reconciler): Entrances {
  const approvals = createApprovalEntrances(parts, world, reconciler);
  const tasks = createTaskEntrances(parts, world, reconciler);
  const cases = createCaseListeners(parts, world, reconciler);
  const accounts = createAccountListeners(parts, world, reconciler);
  const documented = openapiRoute({ ...intakePaths(), ...tasksPaths() });
  return {
    listeners: [...approvals.listeners, tasks.listeners, ...cases, accounts],
    routes: [...approvals.routes, ...tasks.routes, documented],
  };
}

function createApprovalEntrances(
  { config, store, box }: Parts,
  world: World,
  reconciler: Reconciler,
) {
  const { metrics, modals } = world;
  const needs: ListenerDependencies & IntakeDependencies & ShowDependencies = {
    ...world,
    lookup: world.lookup.recent,
    store,
    reconciler,
    sources: config.sources,
    routes: config.routes,
    seal: (plain, what) => box.seal(plain, `approval.${what}`),
    open: (sealed, what) => box.open(sealed, `approval.${what}`),
    openModal: (triggerId, view) => modals.open(triggerId, view),
    newId: randomUUID,
    sleep: (ms) => sleep(ms),
    now: () => store.now(),
    onClick: (result) => metrics.click(result),
    onIntake: (result) => metrics.intake(result),
    resume: (list) => resumeSuspended({ store, reconciler }, list),
  };
  return {
    listeners: [approvalListeners(needs), listingListeners(needs)],
    routes: intakeRoutes(needs),
  };
}

function createTaskEntrances(parts: Parts, world: World, reconciler: Reconciler) {
  const { config, store, service } = parts;
  const dependencies = {
    ...world,
    store,
    reconciler,
    places: config,
    policy: { ...world, account: { ...world, identity: config.move.identity } },
    items: { ...world, store, source: config.move.source, read: service.tasks?.read ?? null },
    sources: config.sources,
    routes: config.routes,
    newId: randomUUID,
    sleep: (ms: number) => sleep(ms),
    onIntake: (result: string) => world.metrics.intake(result),
  };
  return { listeners: taskListeners(dependencies), routes: [tasksRoute(dependencies)] };
}

function createCaseListeners(
  { config, store }: Parts,
  world: World,
  reconciler: Reconciler,
): readonly Listeners[] {
  const { who, identity } = config.cases;
  const policy = { ...world, who, account: { ...world, identity } };
  const needs = { ...world, store, reconciler, places: config, policy };
  return [caseListeners(needs), severalListeners(needs)];
}

function createAccountListeners(
  { config, store, service, clock }: Parts,
  world: World,
  reconciler: Reconciler,
): Listeners {
  const { administrators, accounts } = config;
  const { users } = service;
  return accountListeners({
    ...world,
    ...accounts,
    store,
    reconciler,
    users,
    administrators,
    clock,
    newId: randomUUID,
    sleep: (ms) => sleep(ms),
  });
}
