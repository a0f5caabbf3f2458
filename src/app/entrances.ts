import { listenToAccounts } from '../accounts/slack.ts';
import { type IntakeDependencies, intakeRoutes } from '../approvals/intake.ts';
import { intakePaths } from '../approvals/intake-contract.ts';
import { listenToApprovalList, type ShowDependencies } from '../approvals/list/slack.ts';
import { type ListenerDependencies, listenToApprovals } from '../approvals/slack.ts';
import { resumeSuspended } from '../approvals/steps/resume.ts';
import { openapiRoute } from '../http/openapi.ts';
import type { Route } from '../http/router.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import type { SlackApp } from '../slack/bolt-app.ts';
import { listenToTasks } from '../tasks/slack.ts';
import { tasksPaths } from '../tasks/task-request.ts';
import { tasksRoute } from '../tasks/tasks-route.ts';
import { listenToSeveralTestCases } from '../test-cases/several/slack.ts';
import { listenToTestCases } from '../test-cases/slack.ts';
import type { Parts, World } from './world.ts';

/** Lets every feature listen to Slack. Gives the ways into them over HTTP. */
export function openEntrances(
  { bolt }: Pick<SlackApp, 'bolt'>,
  parts: Parts,
  world: World,
  reconciler: Reconciler,
): readonly Route[] {
  const approvals = approvalDependencies(parts, world, reconciler);
  listenToApprovals(bolt, approvals);
  listenToApprovalList(bolt, approvals);
  const tasks = taskDependencies(parts, world, reconciler);
  listenToTasks(bolt, tasks);
  const cases = caseDependencies(parts, world, reconciler);
  listenToTestCases(bolt, cases);
  listenToSeveralTestCases(bolt, cases);
  listenToAccounts(bolt, accountDependencies(parts, world, reconciler));
  const documented = openapiRoute({ ...intakePaths(), ...tasksPaths() });
  return [...intakeRoutes(approvals), tasksRoute(tasks), documented];
}

function approvalDependencies(
  { config, random, store, box }: Parts,
  world: World,
  reconciler: Reconciler,
): ListenerDependencies & IntakeDependencies & ShowDependencies {
  const { metrics, modals } = world;
  return {
    ...world,
    lookup: world.lookup.recent,
    store,
    reconciler,
    sources: config.sources,
    routes: config.routes,
    seal: (plain, what) => box.seal(plain, `approval.${what}`),
    open: (sealed, what) => box.open(sealed, `approval.${what}`),
    openModal: (triggerId, view) => modals.open(triggerId, view),
    newId: () => random.uuid(),
    now: () => store.now(),
    onClick: (result) => metrics.click(result),
    onIntake: (result) => metrics.intake(result),
    resume: (list) => resumeSuspended({ store, reconciler }, list),
  };
}

function taskDependencies(
  { config, random, store, service }: Parts,
  world: World,
  reconciler: Reconciler,
) {
  return {
    ...world,
    store,
    reconciler,
    places: config,
    policy: { ...world, account: { ...world, identity: config.move.identity } },
    items: { ...world, store, source: config.move.source, read: service.tasks?.read ?? null },
    sources: config.sources,
    routes: config.routes,
    newId: () => random.uuid(),
    onIntake: (result: string) => world.metrics.intake(result),
  };
}

function caseDependencies({ config, store }: Parts, world: World, reconciler: Reconciler) {
  const { who, identity } = config.cases;
  const policy = { ...world, who, account: { ...world, identity } };
  return { ...world, store, reconciler, places: config, policy };
}

function accountDependencies(
  { config, store, service, clock, random }: Parts,
  world: World,
  reconciler: Reconciler,
) {
  const { administrators, accounts } = config;
  const { users } = service;
  return {
    ...world,
    ...accounts,
    store,
    reconciler,
    users,
    administrators,
    clock,
    newId: () => random.uuid(),
  };
}
