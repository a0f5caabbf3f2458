import { changeOperation } from '../accounts/change-operation.ts';
import { CHANGE_KIND } from '../accounts/change-rules.ts';
import { createAccess } from '../approvals/access.ts';
import { APPROVAL_KIND } from '../approvals/approval.ts';
import { createApprovalFlow } from '../approvals/approval-flow.ts';
import { resumeSuspended } from '../approvals/steps/resume.ts';
import { NOTICE_KIND } from '../notices/notice.ts';
import { createNoticeFlow } from '../notices/notice-flow.ts';
import { stuckNotice } from '../notices/raise-notice.ts';
import { createOperationFlow } from '../operations/operation-flow.ts';
import { createReconciler, type Reconciler } from '../reconcile/reconciler.ts';
import { type WorkNeeds, work } from '../reconcile/work.ts';
import type { Held } from '../store/store.ts';
import { MOVE_KIND } from '../tasks/move.ts';
import { moveOperation } from '../tasks/move-operation.ts';
import { createSnapshotFlow, SNAPSHOT_KIND } from '../tasks/snapshot-flow.ts';
import { CASE_KIND } from '../test-cases/case.ts';
import { caseOperation } from '../test-cases/case-operation.ts';
import { BATCH_KIND } from '../test-cases/several/batch.ts';
import { createBatchFlow } from '../test-cases/several/batch-flow.ts';
import type { Parts, World } from './world.ts';

/** The loop over everything that is kept, with what its steps need of the world. */
export function createLoop(parts: Parts, world: World): Reconciler {
  const { config, logger, clock, timers, random, timing, store, service, box } = parts;
  const { metrics, words, lookup, outbox, raise } = world;
  let polled = 0;
  const approvals = createApprovalFlow({
    ...world,
    config,
    budgetPerMinute: config.budgetPerMinute,
    random: () => random.fraction(),
    pending: () => polled,
    servingSince: () => store.servingSince(),
    service: service.approvals,
    store,
    resume: (list) => resumeSuspended({ store, reconciler }, list),
    access: createAccess({ clock, store }),
    open: (sealed, what) => box.open(sealed, `approval.${what}`),
    routeNamed: (name) => config.routes.find((route) => route.name === name),
  });
  const notices = createNoticeFlow({ words, lookup: lookup.recent, logger, timing });
  const moves = createOperationFlow(
    moveOperation({
      ...world,
      store,
      service: service.tasks,
      places: config,
      policy: { ...world, account: { ...world, identity: config.move.identity } },
      keepMs: config.retention.doneMs,
    }),
  );
  const caseNeeds = {
    ...world,
    store,
    service: service.testCases,
    places: config,
    who: config.cases.who,
    account: { ...world, identity: config.cases.identity },
    keepMs: config.retention.doneMs,
  };
  const cases = createOperationFlow(caseOperation(caseNeeds));
  const batches = createBatchFlow({ ...caseNeeds, budgetPerMinute: config.budgetPerMinute });
  const changes = createOperationFlow(
    changeOperation({
      ...world,
      store,
      users: service.users,
      administrators: config.administrators,
      keepMs: config.retention.doneMs,
    }),
  );
  const snapshots = createSnapshotFlow({ outbox, store, timing });
  const workNeeds = workNeedsOf(parts, world);
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
    },
    logger,
    clock,
    timers,
    newReference: world.newReference,
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

function workNeedsOf(
  { logger, clock, timers, random, timing, store }: Parts,
  { metrics }: World,
): WorkNeeds {
  return {
    store,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => timers.sleep(ms),
    newId: () => random.uuid(),
    timing,
    onVanished: (facts) => logger.error(facts, 'a record was gone before its result was saved'),
    onStep({ step, result, failure, record, tookMs }) {
      metrics.step(step, failure === undefined ? result : 'failed', tookMs);
      if (failure === undefined) return;
      const { class: kind, code, status } = failure;
      logger.warn({ record, step, class: kind, code, status }, 'a step failed');
    },
  };
}
