import { APPROVAL_ALERTS } from '../approvals/alert.ts';
import { APPROVAL_KIND } from '../approvals/approval.ts';
import { createApprovalFlow } from '../approvals/approval-flow.ts';
import type { ApprovalCore } from '../approvals/decision/approval-core.ts';
import { createServiceAnswers } from '../approvals/decision/service-answers.ts';
import { ABSENCE_KIND } from '../approvals/electorate/absence.ts';
import { HOME_KIND } from '../approvals/tell/refresh-home.ts';
import { createAbsenceFlow } from '../approvals/ways-in/absence/absence-flow.ts';
import {
  absenceAtHome,
  absenceWords,
  listenToAbsences,
} from '../approvals/ways-in/absence/slack.ts';
import { gatePaths } from '../approvals/ways-in/gates/gate-contract.ts';
import { gateRoutes } from '../approvals/ways-in/gates/gate-routes.ts';
import { intakeRoutes } from '../approvals/ways-in/intake.ts';
import type { IntakeCore } from '../approvals/ways-in/intake-calls.ts';
import { callbackWebhooks, intakePaths } from '../approvals/ways-in/intake-contract.ts';
import { createHomeFlow } from '../approvals/ways-in/list/home-flow.ts';
import { listenToSeveral } from '../approvals/ways-in/list/several.ts';
import { createSeveralFlow, SEVERAL_KIND } from '../approvals/ways-in/list/several-flow.ts';
import { listenToApprovalList } from '../approvals/ways-in/list/slack.ts';
import { mcpRoute } from '../approvals/ways-in/mcp/mcp-route.ts';
import { PARTS } from '../approvals/ways-in/parts.ts';
import { listenToApprovals } from '../approvals/ways-in/slack.ts';
import { whoWords } from '../approvals/ways-in/who/slack.ts';
import { ALERT_KIND } from '../core/alerts/alert.ts';
import { createAlertFlow } from '../core/alerts/alert-flow.ts';
import type { Flow, Named } from '../core/engine/flow.ts';
import { type SessionEnd, type WorkNeeds, work } from '../core/engine/lease-session.ts';
import type { Route } from '../core/http/router.ts';
import type { Listeners } from '../core/slack/listeners.ts';
import type { Held } from '../core/store/store.ts';
import { changeOperation } from '../operations/accounts/change-operation.ts';
import { CHANGE_KIND } from '../operations/accounts/change-rules.ts';
import { listenToAccounts } from '../operations/accounts/slack.ts';
import { createBatchFlow } from '../operations/batch/batch-flow.ts';
import { cataloguePaths } from '../operations/catalogue/catalogue-request.ts';
import { catalogueRoute } from '../operations/catalogue/catalogue-route.ts';
import { createOperationFlow } from '../operations/flow/operation-flow.ts';
import { MOVE_KIND } from '../operations/tasks/move.ts';
import { moveOperation } from '../operations/tasks/move-operation.ts';
import { MOVE_BATCH_KIND } from '../operations/tasks/several/move-batch.ts';
import {
  moveBatchOperation,
  moveBatchViews,
} from '../operations/tasks/several/move-batch-views.ts';
import { listenToTasks } from '../operations/tasks/slack.ts';
import { createSnapshotFlow, SNAPSHOT_KIND } from '../operations/tasks/snapshot-flow.ts';
import { tasksPaths } from '../operations/tasks/task-request.ts';
import { tasksRoute } from '../operations/tasks/tasks-route.ts';
import { CASE_KIND } from '../operations/test-cases/case.ts';
import { caseOperation } from '../operations/test-cases/case-operation.ts';
import { CASE_BATCH_KIND } from '../operations/test-cases/several/case-batch.ts';
import {
  caseBatchOperation,
  caseBatchViews,
} from '../operations/test-cases/several/case-batch-views.ts';
import { listenToSeveralTestCases } from '../operations/test-cases/several/slack.ts';
import { listenToTestCases } from '../operations/test-cases/slack.ts';
import {
  FEATURE_NAMES,
  FEATURES,
  type Feature,
  type FeatureName,
  type KindOf,
} from './features.ts';

/**
 * What runs for a row of the table. It is apart from the table because commands that need no feature load that.
 */
interface Wiring<Kind extends string = string> {
  /** Registers its Slack listeners. */
  readonly listen?: (app: Listeners, core: IntakeCore) => void;
  /** Its HTTP routes. */
  readonly routes?: (core: IntakeCore) => readonly Route[];
  /** Those of its routes and callbacks that `/openapi.json` describes. */
  readonly documented?: () => Documented;
  /** The causes of its alerts; the store's alert counts itself. */
  readonly alerts?: readonly string[];
  /** What follows from the rules with which it starts, or that were read again. Throws StoreError. */
  readonly ruled?: (core: IntakeCore) => Promise<void>;
  /** By kind of record. */
  readonly workers: (core: LoopCore) => Readonly<Record<Kind, Worker>>;
}

interface Documented {
  readonly paths: Readonly<Record<string, unknown>>;
  readonly webhooks?: Readonly<Record<string, unknown>>;
}

/** What the flows of records work with. */
export type LoopCore = IntakeCore & Pick<ApprovalCore, 'pending' | 'deliverResult'>;

type Worker = (held: Held, needs: WorkNeeds) => Promise<SessionEnd>;

const WIRINGS: { readonly [Name in FeatureName]: Wiring<KindOf<Name>> } = {
  approvals: {
    listen(app, core) {
      listenToApprovals(app, core);
      listenToApprovalList(app, core, [absenceWords, ...PARTS.map(({ words }) => words), whoWords]);
      listenToAbsences(app, core);
      listenToSeveral(app, core);
    },
    routes: (core) => [...intakeRoutes(core), ...gateRoutes(core), mcpRoute(core)],
    documented: () => ({
      paths: { ...intakePaths(), ...gatePaths() },
      webhooks: callbackWebhooks(),
    }),
    alerts: APPROVAL_ALERTS,
    async ruled(core) {
      for (const { ruled } of PARTS) await ruled(core);
    },
    workers: (core) => ({
      ...workersOfParts(core),
      [APPROVAL_KIND]: workerOf(
        createApprovalFlow({ ...core, serviceAnswers: createServiceAnswers(core) }),
      ),
      [HOME_KIND]: workerOf(createHomeFlow(core, [absenceAtHome])),
      [SEVERAL_KIND]: workerOf(createSeveralFlow(core)),
      [ABSENCE_KIND]: workerOf(createAbsenceFlow(core)),
    }),
  },
  accounts: {
    listen: listenToAccounts,
    alerts: [
      'people.changed',
      'people.lost',
      'people.taken',
      'people.asks',
      'people.left',
      'people.address-hidden',
      'people.several',
    ],
    workers: (core) => ({
      [CHANGE_KIND]: workerOf(createOperationFlow(changeOperation(core), core.timing)),
    }),
  },
  tasks: {
    listen: listenToTasks,
    routes: (core) => [tasksRoute(core)],
    documented: () => ({ paths: tasksPaths() }),
    workers: (core) => ({
      [MOVE_KIND]: workerOf(createOperationFlow(moveOperation(core), core.timing)),
      [MOVE_BATCH_KIND]: workerOf(createBatchFlow(moveBatchOperation(core), moveBatchViews(core))),
      [SNAPSHOT_KIND]: workerOf(createSnapshotFlow(core)),
    }),
  },
  catalogue: {
    routes: (core) => [catalogueRoute(core)],
    documented: () => ({ paths: cataloguePaths() }),
    workers: () => ({}),
  },
  'test-cases': {
    listen(app, core) {
      listenToTestCases(app, core);
      listenToSeveralTestCases(app, core);
    },
    workers: (core) => ({
      [CASE_KIND]: workerOf(createOperationFlow(caseOperation(core), core.timing)),
      [CASE_BATCH_KIND]: workerOf(createBatchFlow(caseBatchOperation(core), caseBatchViews(core))),
    }),
  },
  alerts: {
    alerts: [
      'service.key-refused',
      'service.accounts-refused',
      'service.unreachable',
      'records.stuck',
    ],
    workers: (core) => ({ [ALERT_KIND]: workerOf(createAlertFlow(core)) }),
  },
  gatepost: {
    alerts: ['audit.cut', 'audit.changed', 'audit.stream', 'sources.keys'],
    workers: () => ({}),
  },
};

/** Each row of the table, with what runs for it. */
export const WIRED: readonly (Feature & Wiring)[] = FEATURE_NAMES.map((name) => ({
  ...FEATURES[name],
  ...WIRINGS[name],
}));

function workersOfParts(core: LoopCore) {
  const workers = PARTS.map(({ kind, createWorker }) => [kind, createWorker(core)] as const);
  // as: a test compares them with the kinds of the row
  return Object.fromEntries(workers) as Record<KindOf<'approvals'>, Worker>;
}

function workerOf<Data, Step extends Named, Result extends Named>(
  flow: Flow<Data, Step, Result>,
): Worker {
  return (held, needs) => work(held, flow, needs);
}
