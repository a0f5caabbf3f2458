import { keyRefused } from '../../../core/alerts/key-alerts.ts';
import type { Core } from '../../../core/core.ts';
import { takeBudgetSlot } from '../../../core/engine/budget.ts';
import { type Due, firstDue } from '../../../core/engine/first-due.ts';
import type { Applied, Flow, LastWord, Plan } from '../../../core/engine/flow.ts';
import type { Signal } from '../../../core/store/store.ts';
import { forgotten, tellOnce } from '../../flow/last-word.ts';
import type { Operation } from '../../flow/operation.ts';
import { sendOnce } from '../../flow/operation-flow.ts';
import { dueProgress } from '../../flow/progress.ts';
import {
  dueAnnouncement,
  dueReportPost,
  dueUpdate,
  executeReport,
  postNamed,
  type ReportViews,
} from '../../flow/report.ts';
import { CASE_RULES, type CaseProgress, type CaseTypes, TEXT_KEPT_MS } from '../case.ts';
import { caseOperation } from '../case-operation.ts';
import { noticeView } from '../result-view.ts';
import { applyBatch, beginBatch } from './apply-batch.ts';
import {
  BATCH_KIND,
  type BatchPress,
  type BatchRecord,
  type BatchResult,
  type BatchState,
  type BatchStep,
  batchState,
  decodeBatch,
  encodeBatch,
  lineState,
} from './batch.ts';
import { batchAnnouncement, batchMessage } from './batch-message.ts';
import { lineAt, queueOf, withLine } from './queue.ts';
import { headline } from './sentences.ts';

/** How several test cases are reconciled: each line is sent like a single test case. */
export function createBatchFlow(core: Core): Flow<BatchRecord, BatchStep, BatchResult> {
  const operation = caseOperation(core);
  const { keepMs } = operation;
  const { timing } = core;
  return {
    kind: BATCH_KIND,
    decode: decodeBatch,
    encode: encodeBatch,
    receive: (batch, signal, now) => receiveBatchSignal(batch, signal, now),
    plan: (batch, now) => planBatch(batch, { keepMs }, now),
    markAttempt: (batch, step, now) => beginBatch(batch, step, timing, now),
    execute: (batch, step, id) => execute(core, operation, id, batch, step),
    apply: (batch, step, result, now) => applyBatch(batch, step, result, timing, now),
    lastWord: (learned, _noted, id, now) => lastWord(core, id, learned, now),
  };
}

/** The last word when the record is gone. */
function lastWord(core: Core, id: string, batch: BatchRecord, now: number): LastWord {
  const [line] = batch.queue;
  const last =
    line === undefined
      ? batch
      : withLine(batch, line, forgotten<CaseTypes, CaseProgress>(lineAt(batch, line)), now);
  const { created, queued } = batchState(last);
  return {
    facts: { created: String(created), queued: String(queued) },
    show: () => tellOnce(viewsIn(core), id, last, batchState(last)),
  };
}

/** Signals to a batch come only from presses. */
export function encodeBatchSignal(signal: BatchPress): string {
  return JSON.stringify(signal);
}

export function receiveBatchSignal(
  batch: BatchRecord,
  { body }: Signal,
  now: number,
): Applied<BatchRecord> {
  // as: only `encodeBatchSignal` writes it
  const signal = JSON.parse(body) as BatchPress;
  // Their view may be outdated: it is always shown again.
  const { told, ...shown } = batch;
  if (signal.kind === 'page') return { data: { ...shown, page: signal.page } };
  const queue = linesFor(batch, signal);
  if (queue.length === 0) return { data: shown };
  const { stopped, alerted, quietUntil, ...rest } = shown;
  const facts = { project: batch.place.projectId, lines: queue.length };
  return {
    data: { ...rest, ...queueOf(queue, now), run: batch.run + 1, page: 0 },
    audit: [{ action: 'test-cases.again', record: null, actor: batch.by, facts }],
  };
}

/** The lines that a press repeats. */
export function linesFor(
  { phase, run, lines }: BatchRecord,
  press: Exclude<BatchPress, { kind: 'page' }>,
): readonly number[] {
  if (phase.name !== 'done' || press.run !== run) return [];
  const indexes = lines.map((_, index) => index);
  const states = lines.map(lineState);
  if (press.kind === 'again-one') {
    return indexes.filter((index) => index === press.line && states[index] === 'unknown');
  }
  return indexes.filter((index) => states[index] === 'failed' || states[index] === 'unsent');
}

/** The next step of a batch; a finished one is kept for `keepMs`, and at least a day. */
export function planBatch(
  record: BatchRecord,
  { keepMs }: { readonly keepMs: number },
  now: number,
): Plan<BatchStep> {
  const state = batchState(record);
  const isAlerting = record.stopped?.code === 'unauthorized' && record.alerted === undefined;
  const dues: readonly (() => Due<BatchStep>)[] = [
    // The message promises nothing before the authorization.
    () => (state.state === 'authorizing' ? dueLine(record, now) : null),
    () => dueMessage(record, state, now),
    () => dueLine(record, now),
    () => (isAlerting ? { kind: 'alert' } : null),
    () => dueFirstEnd(record, state, now),
  ];
  return firstDue(dues, Math.max(keepMs, TEXT_KEPT_MS));
}

/** Posted before the first line is sent; shows progress, and the end immediately. */
function dueMessage(record: BatchRecord, state: BatchState, now: number): Due<BatchStep> {
  const { ts } = postNamed(record, 'result');
  if (ts === undefined) return dueReportPost(record, 'result', state, now);
  const due = dueUpdate(record, ts, state, now);
  const quietUntil = state.state === 'done' ? 0 : (record.quietUntil ?? 0);
  return due !== null && now < quietUntil ? quietUntil : due;
}

/** Once, for what the first run created. */
function dueFirstEnd(record: BatchRecord, state: BatchState, now: number): Due<BatchStep> {
  if (!record.announce || state.state !== 'done' || state.created === 0) return null;
  return dueAnnouncement(record, state, now);
}

function dueLine(record: BatchRecord, now: number): Due<BatchStep> {
  const { queue, lines, slot } = record;
  const [line] = queue;
  if (line === undefined) return null;
  const due = dueProgress(CASE_RULES, lineAt(record, line), now);
  if (due === null || typeof due === 'number' || due.kind === 'authorize') return due;
  if (due.kind === 'read') throw new Error('a test case cannot be read');
  if (due.kind === 'give-up') return { ...due, line };
  // The lost call must not arrive after this one.
  const quietAt = lines[line]?.unconfirmed?.quietAt ?? 0;
  if (now < quietAt) return quietAt;
  return slot === undefined ? { kind: 'budget' } : { ...due, line };
}

/** Makes the step's external call. Failures of other systems are results; only our own mistakes throw. */
async function execute(
  core: Core,
  operation: Operation<CaseTypes>,
  id: string,
  batch: BatchRecord,
  step: BatchStep,
): Promise<BatchResult> {
  const { store, raise, timing, config } = core;
  switch (step.kind) {
    case 'authorize':
      return operation.authorize(lineAt(batch, batch.queue[0] ?? 0), id);
    case 'budget':
      return { kind: 'slot', waitMs: await takeBudgetSlot(store, config.budgetPerMinute) };
    case 'send':
      return sendOnce(operation, lineAt(batch, step.line).wish, timing);
    case 'alert':
      await raise(keyRefused());
      return { kind: 'done' };
    case 'give-up':
      return { kind: 'done' };
    default:
      return executeReport(viewsIn(core), id, batch, step);
  }
}

function viewsIn(core: Core): ReportViews<BatchRecord, BatchState> {
  const { config, links } = core;
  return {
    core,
    view: (_id, batch, state) => noticeView(headline(batch, state, config)),
    message: (id, batch, state) => batchMessage(id, batch, state, config),
    announcement: (batch) => batchAnnouncement(batch, config, links),
  };
}
