import type { PressDependencies } from '../approvals/cast-ballot.ts';
import { type IntakeDependencies, intakeRoutes } from '../approvals/intake.ts';
import { callbackWebhooks, intakePaths } from '../approvals/intake-contract.ts';
import { listenToApprovalList, type ShowDependencies } from '../approvals/list/slack.ts';
import { listenToApprovals } from '../approvals/slack.ts';
import { resumeSuspended } from '../approvals/steps/resume.ts';
import type { Reconciler } from '../core/engine/reconciler.ts';
import { openapiRoute } from '../core/http/openapi.ts';
import type { Route } from '../core/http/router.ts';
import type { SlackApp } from '../core/slack/bolt-app.ts';
import { listenToRequestCheck } from '../core/slack/request-check.ts';
import { listenToAccounts } from '../operations/accounts/slack.ts';
import { listenToTasks } from '../operations/tasks/slack.ts';
import { tasksPaths } from '../operations/tasks/task-request.ts';
import { tasksRoute } from '../operations/tasks/tasks-route.ts';
import { listenToSeveralTestCases } from '../operations/test-cases/several/slack.ts';
import { listenToTestCases } from '../operations/test-cases/slack.ts';
import type { BaseDependencies, Dependencies } from './dependencies.ts';

/** The doctor waits for a minute. */
const REQUEST_CHECK_MS = 600_000;

/** Lets every feature listen to Slack. Gives the ways into them over HTTP. */
export function registerHandlers(
  bolt: SlackApp['bolt'],
  base: BaseDependencies,
  dependencies: Dependencies,
  reconciler: Reconciler,
): readonly Route[] {
  const approvals = approvalDependencies(base, dependencies, reconciler);
  listenToApprovals(bolt, approvals);
  listenToApprovalList(bolt, approvals);
  const tasks = taskDependencies(base, dependencies, reconciler);
  if (tasks.hasService) {
    listenToTasks(bolt, tasks);
    const cases = caseDependencies(base, dependencies, reconciler);
    listenToTestCases(bolt, cases);
    listenToSeveralTestCases(bolt, cases);
    listenToAccounts(bolt, accountDependencies(base, dependencies, reconciler));
  }
  listenToRequestCheck(bolt, (key) => base.store.put(key, '1', REQUEST_CHECK_MS));
  const documented = openapiRoute(() => ({
    paths: { ...intakePaths(), ...tasksPaths() },
    webhooks: callbackWebhooks(),
  }));
  return [...intakeRoutes(approvals), tasksRoute(tasks), documented];
}

function approvalDependencies(
  { config, random, store, box, clock }: BaseDependencies,
  dependencies: Dependencies,
  reconciler: Reconciler,
): PressDependencies & IntakeDependencies & ShowDependencies {
  const { metrics, modals } = dependencies;
  return {
    ...dependencies,
    store,
    reconciler,
    clock,
    sources: config.sources,
    routes: config.routes,
    hasService: config.service !== null,
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
  { config, random, store, service, clock }: BaseDependencies,
  dependencies: Dependencies,
  reconciler: Reconciler,
) {
  return {
    ...dependencies,
    administrators: config.administrators,
    store,
    reconciler,
    clock,
    places: config,
    policy: { ...dependencies, account: { ...dependencies, identity: config.move.identity } },
    items: {
      ...dependencies,
      store,
      source: config.move.source,
      read: service.tasks?.read ?? null,
    },
    sources: config.sources,
    routes: config.routes,
    hasService: config.service !== null,
    newId: () => random.uuid(),
    onIntake: (result: string) => dependencies.metrics.intake(result),
  };
}

function caseDependencies(
  { config, store }: BaseDependencies,
  dependencies: Dependencies,
  reconciler: Reconciler,
) {
  const { who, identity } = config.cases;
  const policy = { ...dependencies, who, account: { ...dependencies, identity } };
  const { administrators } = config;
  return { ...dependencies, administrators, store, reconciler, places: config, policy };
}

function accountDependencies(
  { config, store, service, clock, random }: BaseDependencies,
  dependencies: Dependencies,
  reconciler: Reconciler,
) {
  const { administrators, accounts } = config;
  const { users } = service;
  return {
    ...dependencies,
    ...accounts,
    store,
    reconciler,
    users,
    administrators,
    clock,
    newId: () => random.uuid(),
  };
}
