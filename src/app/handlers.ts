import { type IntakeCore, intakeRoutes } from '../approvals/ways-in/intake.ts';
import { callbackWebhooks, intakePaths } from '../approvals/ways-in/intake-contract.ts';
import { listenToApprovalList } from '../approvals/ways-in/list/slack.ts';
import { listenToApprovals } from '../approvals/ways-in/slack.ts';
import { openapiRoute } from '../core/http/openapi.ts';
import type { Route } from '../core/http/router.ts';
import type { Listeners } from '../core/slack/listeners.ts';
import { listenToRequestCheck } from '../core/slack/request-check.ts';
import { listenToAccounts } from '../operations/accounts/slack.ts';
import { listenToTasks } from '../operations/tasks/slack.ts';
import { tasksPaths } from '../operations/tasks/task-request.ts';
import { tasksRoute } from '../operations/tasks/tasks-route.ts';
import { listenToSeveralTestCases } from '../operations/test-cases/several/slack.ts';
import { listenToTestCases } from '../operations/test-cases/slack.ts';

/** The doctor waits for a minute. */
const REQUEST_CHECK_MS = 600_000;

/** Registers all features' Slack listeners. Returns their HTTP routes. */
export function registerHandlers(app: Listeners, core: IntakeCore): readonly Route[] {
  listenToApprovals(app, core);
  listenToApprovalList(app, core);
  if (core.config.service !== null) {
    listenToTasks(app, core);
    listenToTestCases(app, core);
    listenToSeveralTestCases(app, core);
    listenToAccounts(app, core);
  }
  listenToRequestCheck(app, (key) => core.store.put(key, '1', REQUEST_CHECK_MS));
  const documented = openapiRoute(() => ({
    paths: { ...intakePaths(), ...tasksPaths() },
    webhooks: callbackWebhooks(),
  }));
  return [...intakeRoutes(core), tasksRoute(core), documented];
}
