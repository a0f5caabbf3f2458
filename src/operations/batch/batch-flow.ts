import { takeBudgetSlot } from '../../core/engine/budget.ts';
import { type Due, firstDue } from '../../core/engine/first-due.ts';
import type { Applied, Flow, LastWord, Plan } from '../../core/engine/flow.ts';
import { omit } from '../../core/lib/omit.ts';
import type { Signal } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { forgotten, tellOnce } from '../flow/last-word.ts';
import { readOnce, sendOnce } from '../flow/operation-flow.ts';
import { dueProgress } from '../flow/progress.ts';
import {
  dueAnnouncement,
  dueReportPost,
  dueUpdate,
  executeReport,
  postNamed,
  type ReportViews,
} from '../flow/report.ts';
import type { OperationTypes, Progress } from '../flow/rules.ts';
import { applyBatch, beginBatch } from './apply-batch.ts';
import {
  type Batch,
  type BatchOperation,
  type BatchPress,
  type BatchRecord,
  type BatchResult,
  type BatchState,
  type BatchStep,
  batchState,
  decodeBatch,
  encodeBatch,
  type LinePress,
  lineState,
} from './batch.ts';
import { lineAt, queueOf, withLine } from './queue.ts';

/** How one kind of batch is reconciled: each line is sent like a single operation. */
export function createBatchFlow<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: BatchOperation<T, R>,
  views: ReportViews<R, BatchState>,
): Flow<R, BatchStep, BatchResult<T>> {
  const { timing } = views.core;
  return {
    kind: batch.kind,
    decode: (text) => decodeBatch(batch, text),
    encode: encodeBatch,
    receive: (record, signal, now) => receiveBatchSignal(batch, record, signal, now),
    plan: (record, now) => planBatch(batch, record, now),
    markAttempt: (record, step, now) => beginBatch(batch, record, step, timing, now),
    execute: (record, step, id) => execute(batch, views, id, record, step),
    apply: (record, step, result, now) => applyBatch(batch, record, step, result, timing, now),
    lastWord: (learned, _noted, id, now) => lastWord(batch, views, id, learned, now),
  };
}

/** The last word when the record is gone. */
function lastWord<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: BatchOperation<T, R>,
  views: ReportViews<R, BatchState>,
  id: string,
  record: R,
  now: number,
): LastWord {
  const [line] = record.queue;
  const last =
    line === undefined
      ? record
      : withLine(batch, record, line, forgotten<T, Progress<T>>(lineAt(batch, record, line)), now);
  const state = batchState(batch.rules, last);
  return {
    facts: { succeeded: String(state.succeeded), queued: String(state.queued) },
    show: () => tellOnce(views, id, last, state),
  };
}

/** Signals to a batch come only from presses. */
export function encodeBatchSignal(signal: BatchPress): string {
  return JSON.stringify(signal);
}

export function receiveBatchSignal<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  { body }: Signal,
  now: number,
): Applied<R> {
  // as: only `encodeBatchSignal` writes it
  const press = JSON.parse(body) as BatchPress;
  // Their view may be outdated: it is always shown again.
  const shown = omit<BatchRecord<T>, R>(record, 'told');
  if (press.kind === 'page') return { data: { ...shown, page: press.page } };
  const queue = linesFor(batch, record, press);
  if (queue.length === 0) return { data: shown };
  const rest = omit<BatchRecord<T>, R>(shown, 'stopped', 'alerted', 'quietUntil');
  const facts = { ...batch.factsOf(record), lines: queue.length };
  const action = `${batch.rules.audit}.again`;
  return {
    data: { ...rest, ...queueOf(queue, now), allowedAt: 0, run: record.run + 1, page: 0 },
    audit: [{ action, record: null, actor: record.by, facts }],
  };
}

/** The lines that a press repeats. */
export function linesFor<T extends OperationTypes, R extends BatchRecord<T>>(
  { repeats }: Batch<T, R>,
  { phase, run, lines }: R,
  press: LinePress,
): readonly number[] {
  if (phase.name !== 'done' || press.run !== run) return [];
  const isNamed = (index: number) => press.kind === 'again' || index === press.line;
  return lines.flatMap((line, index) =>
    isNamed(index) && repeats(line).includes(press.kind) ? [index] : [],
  );
}

/** The next step of a batch. */
export function planBatch<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: BatchOperation<T, R>,
  record: R,
  now: number,
): Plan<BatchStep> {
  const { rules, operation } = batch;
  const state = batchState(rules, record);
  const { stopped, alerted } = record;
  const isAlerting = stopped !== undefined && stopped.code === operation.alert?.code && !alerted;
  const dues: readonly (() => Due<BatchStep>)[] = [
    // The message promises nothing before the authorization.
    () => (state.state === 'authorizing' ? dueLine(batch, record, now) : null),
    () => dueMemory(batch, record, now),
    () => dueMessage(record, state, now),
    () => dueLine(batch, record, now),
    () => (isAlerting ? { kind: 'alert' } : null),
    () => dueFirstEnd(record, state, now),
  ];
  return firstDue(dues, operation.keepMs);
}

/** Stored before anybody reads that it was done. */
function dueMemory<T extends OperationTypes, R extends BatchRecord<T>>(
  { rules, operation }: BatchOperation<T, R>,
  { lines, rememberAt = 0 }: R,
  now: number,
): Due<BatchStep> {
  const isDue = (line: R['lines'][number]) =>
    line.remembered === undefined && lineState(rules, line) === 'succeeded';
  const line = operation.remember === undefined ? -1 : lines.findIndex(isDue);
  if (line < 0) return null;
  return now < rememberAt ? rememberAt : { kind: 'remember', line };
}

/** Posted before the first line is sent; shows progress, and the end immediately. */
function dueMessage<R extends BatchRecord<OperationTypes>>(
  record: R,
  state: BatchState,
  now: number,
): Due<BatchStep> {
  const { ts } = postNamed(record, 'result');
  if (ts === undefined) return dueReportPost(record, 'result', state, now);
  const due = dueUpdate(record, ts, state, now);
  const quietUntil = state.state === 'done' ? 0 : (record.quietUntil ?? 0);
  return due !== null && now < quietUntil ? quietUntil : due;
}

/** Once, for what the first run did. */
function dueFirstEnd<R extends BatchRecord<OperationTypes>>(
  record: R,
  state: BatchState,
  now: number,
): Due<BatchStep> {
  if (!record.announce || state.state !== 'done' || state.succeeded === 0) return null;
  return dueAnnouncement(record, state, now);
}

function dueLine<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  now: number,
): Due<BatchStep> {
  const { queue, lines, slot, phase } = record;
  const [line] = queue;
  if (line === undefined) return null;
  const due = dueProgress(batch.rules, lineAt(batch, record, line), now);
  if (due === null || typeof due === 'number' || due.kind === 'authorize') return due;
  if (phase.name !== 'send') return { ...due, line };
  // The lost call must not arrive after this one.
  const quietAt = lines[line]?.unconfirmed?.quietAt ?? 0;
  if (now < quietAt) return quietAt;
  return slot === undefined ? { kind: 'budget' } : { ...due, line };
}

/** Makes the step's external call. Failures of other systems are results; only our own mistakes throw. */
async function execute<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: BatchOperation<T, R>,
  views: ReportViews<R, BatchState>,
  id: string,
  record: R,
  step: BatchStep,
): Promise<BatchResult<T>> {
  const { store, timing, config } = views.core;
  const { operation } = batch;
  switch (step.kind) {
    case 'authorize':
      return operation.authorize(lineAt(batch, record, record.queue[0] ?? 0), id);
    case 'budget':
      return { kind: 'slot', waitMs: await takeBudgetSlot(store, config.budgetPerMinute) };
    case 'read':
      return readOnce(operation, lineAt(batch, record, step.line), timing);
    case 'send':
      return sendOnce(operation, lineAt(batch, record, step.line).wish, timing);
    case 'remember': {
      const stored = async () => {
        await operation.remember?.(lineAt(batch, record, step.line));
        return { kind: 'done' } as const;
      };
      return unlessAway<BatchResult<T>>(stored(), { kind: 'away' });
    }
    case 'alert':
      await operation.alert?.raise();
      return { kind: 'done' };
    case 'give-up':
      return { kind: 'done' };
    default:
      return executeReport(views, id, record, step);
  }
}
