import type { CallBack } from '../approvals/decision/approval-core.ts';
import type { IntakeCore } from '../approvals/ways-in/intake-calls.ts';
import { stuckAlert } from '../core/alerts/raise-alert.ts';
import { LASTING_CODES } from '../core/alerts/unreachable.ts';
import { resultSignal } from '../core/engine/flow.ts';
import type { WorkNeeds } from '../core/engine/lease-session.ts';
import { signalRecord } from '../core/engine/put-record.ts';
import {
  createReconciler,
  type Reconciler,
  type ReconcilerNeeds,
} from '../core/engine/reconciler.ts';
import type { CallbackEnd } from '../core/http/callbacks.ts';
import type { MonotonicClock } from '../core/lib/clock.ts';
import type { Held } from '../core/store/store.ts';
import { WIRED } from './wiring.ts';

/** The loop over all records, with the dependencies of their steps. */
export function createLoop(core: IntakeCore & Pick<ReconcilerNeeds, 'giveWay'>): Reconciler {
  const { logger, clock, timers, random, store, metrics, raise } = core;
  let polled = 0;
  const loopCore = { ...core, pending: () => polled, deliverResult };
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
  const workNeeds = workNeedsOf(core);
  const workers = WIRED.flatMap((row) => Object.entries(row.workers(loopCore)));
  const reconciler = createReconciler({
    store,
    workers: Object.fromEntries(
      workers.map(([kind, worker]) => [kind, (held: Held) => worker(held, workNeeds)]),
    ),
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
      metrics.set('records', { lane }, size);
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
      metrics.count('step', { step, result: failure === undefined ? result : 'failed' });
      metrics.took('step', { step }, tookMs);
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
