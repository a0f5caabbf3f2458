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

/** How several test cases are reconciled: each line is sent as one test case is. */
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

/** Its record is gone. */
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

/** What a person presses is all that happens to a batch from outside. */
export function encodeBatchSignal(signal: BatchPress): string {
  return JSON.stringify(signal);
}

export function receiveBatchSignal(
  batch: BatchRecord,
  { body }: Signal,
  now: number,
): Applied<BatchRecord> {
  // as: written by `encodeBatchSignal` alone
  const signal = JSON.parse(body) as BatchPress;
  // What they see may be old: it is shown anew in any case.
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

/** The lines that a press sends once more. */
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

/** The one thing to do next for a batch; done, it is kept for `keepMs`, and at least a day. */
export function planBatch(
  record: BatchRecord,
  { keepMs }: { readonly keepMs: number },
  now: number,
): Plan<BatchStep> {
  const state = batchState(record);
  const isAlerting = record.stopped?.code === 'unauthorized' && record.alerted === undefined;
  const dues: readonly (() => Due<BatchStep>)[] = [
    // The message promises nothing before that is known.
    () => (state.state === 'authorizing' ? dueLine(record, now) : null),
    () => dueMessage(record, state, now),
    () => dueLine(record, now),
    () => (isAlerting ? { kind: 'alert' } : null),
    () => dueFirstEnd(record, state, now),
  ];
  return firstDue(dues, Math.max(keepMs, TEXT_KEPT_MS));
}

/** It is posted before the first line is sent, and shows how far it is, its end at once. */
function dueMessage(record: BatchRecord, state: BatchState, now: number): Due<BatchStep> {
  const { ts } = postNamed(record, 'result');
  if (ts === undefined) return dueReportPost(record, 'result', state, now);
  const due = dueUpdate(record, ts, state, now);
  const quietUntil = state.state === 'done' ? 0 : (record.quietUntil ?? 0);
  return due !== null && now < quietUntil ? quietUntil : due;
}

/** Once, of what the first run created. */
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
  // What was lost must not arrive behind what is sent now.
  const quietAt = lines[line]?.unconfirmed?.quietAt ?? 0;
  if (now < quietAt) return quietAt;
  return slot === undefined ? { kind: 'budget' } : { ...due, line };
}

/** Makes the one external call of a step. What fails elsewhere is a result; only our own mistakes throw. */
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
