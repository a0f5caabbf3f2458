import { APPROVAL_KIND } from '../approvals/approval.ts';
import { createApprovalFlow } from '../approvals/approval-flow.ts';
import type { CallBack } from '../approvals/decision/approval-core.ts';
import { createServiceAnswers } from '../approvals/decision/service-answers.ts';
import { ABSENCE_KIND } from '../approvals/electorate/absence.ts';
import { createAbsenceFlow } from '../approvals/ways-in/absence/absence-flow.ts';
import type { IntakeCore } from '../approvals/ways-in/intake.ts';
import { createHomeFlow, createHomeNews, HOME_KIND } from '../approvals/ways-in/list/home-flow.ts';
import { createSeveralFlow, SEVERAL_KIND } from '../approvals/ways-in/list/several-flow.ts';
import { ALERT_KIND } from '../core/alerts/alert.ts';
import { createAlertFlow } from '../core/alerts/alert-flow.ts';
import { stuckAlert } from '../core/alerts/raise-alert.ts';
import { LASTING_CODES } from '../core/alerts/unreachable.ts';
import { resultSignal } from '../core/engine/flow.ts';
import { type WorkNeeds, work } from '../core/engine/lease-session.ts';
import { signalRecord } from '../core/engine/put-record.ts';
import {
  createReconciler,
  type Reconciler,
  type ReconcilerNeeds,
} from '../core/engine/reconciler.ts';
import type { CallbackEnd } from '../core/http/callbacks.ts';
import type { MonotonicClock } from '../core/lib/clock.ts';
import type { Held } from '../core/store/store.ts';
import { changeOperation } from '../operations/accounts/change-operation.ts';
import { CHANGE_KIND } from '../operations/accounts/change-rules.ts';
import { createOperationFlow } from '../operations/flow/operation-flow.ts';
import { MOVE_KIND } from '../operations/tasks/move.ts';
import { moveOperation } from '../operations/tasks/move-operation.ts';
import { createSnapshotFlow, SNAPSHOT_KIND } from '../operations/tasks/snapshot-flow.ts';
import { CASE_KIND } from '../operations/test-cases/case.ts';
import { caseOperation } from '../operations/test-cases/case-operation.ts';
import { BATCH_KIND } from '../operations/test-cases/several/batch.ts';
import { createBatchFlow } from '../operations/test-cases/several/batch-flow.ts';

/** The loop over all records, with the dependencies of their steps. */
export function createLoop(core: IntakeCore & Pick<ReconcilerNeeds, 'giveWay'>): Reconciler {
  const { logger, clock, timers, random, timing, store } = core;
  const { metrics, replies, lookup, raise } = core;
  let polled = 0;
  const approvalCore = {
    ...core,
    pending: () => polled,
    serviceAnswers: createServiceAnswers(core),
    deliverResult,
  };
  const approvals = createApprovalFlow(approvalCore, createHomeNews(core));
  function deliverResult(id: string, step: CallBack, result: Promise<CallbackEnd>): void {
    const deliver = async () => {
      const end = await result;
      if (end.kind === 'not-taken') {
        const { code, status } = end.failure;
        logger.warn({ record: id, event: step.event, code, status }, 'a callback was not accepted');
      }
      const signal = { id: random.uuid(), body: resultSignal(step, end) };
      await signalRecord(core, id, signal);
    };
    deliver().catch((error: unknown) => {
      // It is sent again when its attempt has expired.
      logger.warn({ record: id, err: error }, 'could not store the result of a callback');
    });
  }
  const alertFlow = createAlertFlow({ replies, lookup, logger, timing });
  const moves = createOperationFlow(moveOperation(core), timing);
  const cases = createOperationFlow(caseOperation(core), timing);
  const batches = createBatchFlow(core);
  const changes = createOperationFlow(changeOperation(core), timing);
  const snapshots = createSnapshotFlow(core);
  const homes = createHomeFlow(core);
  const severals = createSeveralFlow(core);
  const absences = createAbsenceFlow(core);
  const workNeeds = workNeedsOf(core);
  const reconciler = createReconciler({
    store,
    workers: {
      [APPROVAL_KIND]: (held: Held) => work(held, approvals, workNeeds),
      [ALERT_KIND]: (held: Held) => work(held, alertFlow, workNeeds),
      [MOVE_KIND]: (held: Held) => work(held, moves, workNeeds),
      [CASE_KIND]: (held: Held) => work(held, cases, workNeeds),
      [BATCH_KIND]: (held: Held) => work(held, batches, workNeeds),
      [CHANGE_KIND]: (held: Held) => work(held, changes, workNeeds),
      [SNAPSHOT_KIND]: (held: Held) => work(held, snapshots, workNeeds),
      [HOME_KIND]: (held: Held) => work(held, homes, workNeeds),
      [SEVERAL_KIND]: (held: Held) => work(held, severals, workNeeds),
      [ABSENCE_KIND]: (held: Held) => work(held, absences, workNeeds),
    },
    logger,
    clock,
    timers,
    newReference: core.newReference,
    giveWay: core.giveWay,
    onStuck(record) {
      raise(stuckAlert(record)).catch((error: unknown) => {
        logger.warn({ err: error }, 'could not alert administrators');
      });
    },
    onSize(lane, size) {
      if (lane === 'background') polled = size;
      metrics.records(lane, size);
    },
  });
  return reconciler;
}

function workNeedsOf(core: IntakeCore): WorkNeeds {
  const { logger, clock, timers, random, timing, store, metrics, waiting } = core;
  const alike = createSameFailures(clock);
  return {
    store,
    monotonic: () => clock.monotonic(),
    sleep: (ms) => timers.sleep(ms),
    newId: () => random.uuid(),
    timing,
    onSaved: (record) => waiting.saved(record),
    onVanished: (facts) => logger.error(facts, 'a record was gone before its result was saved'),
    onStep({ step, result, failure, unknownWord, record, tookMs }) {
      if (unknownWord !== undefined) {
        logger.warn({ record, step, status: unknownWord }, 'the service gave an unknown status');
      }
      metrics.step(step, failure === undefined ? result : 'failed', tookMs);
      if (failure === undefined) return;
      const { class: kind, code, status } = failure;
      const more = alike(code);
      if (more === null) return;
      logger.warn({ record, step, class: kind, code, status, ...more }, 'a step failed');
    },
  };
}

/** How often identical failures are logged. */
const SAME_AGAIN_MS = 60_000;

/** null: not logged. `more`: how many were skipped since the last line. */
function createSameFailures({ monotonic }: MonotonicClock) {
  const said = new Map<string, { readonly at: number; more: number }>();
  return (code: string): { readonly more?: number } | null => {
    if (!LASTING_CODES.has(code)) return {};
    const now = monotonic();
    const last = said.get(code);
    if (last !== undefined && now - last.at < SAME_AGAIN_MS) {
      last.more += 1;
      return null;
    }
    said.set(code, { at: now, more: 0 });
    return last === undefined || last.more === 0 ? {} : { more: last.more };
  };
}
