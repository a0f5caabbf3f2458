import { type Applied, type MarkedAttempt, STORE_AGAIN_MS } from '../../core/engine/flow.ts';
import { omit } from '../../core/lib/omit.ts';
import type { Timing } from '../../core/lib/timing.ts';
import { applyReport, beginReport } from '../flow/apply-report.ts';
import {
  applyAuthorization,
  applyGivenUp,
  applyRead,
  applySent,
  beginSend,
} from '../flow/progress.ts';
import { postNamed, type ReportResult } from '../flow/report.ts';
import type { Authorization, OperationTypes, Progress, Read, Sent } from '../flow/rules.ts';
import type { Batch, BatchRecord, BatchResult, BatchStep, LineEnd } from './batch.ts';
import { lineAt, withLine } from './queue.ts';

/** How the steps of a batch change it: pure; handles late and repeated results. */

/** Notes an attempt at the step. */
export function beginBatch<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  step: BatchStep,
  timing: Timing,
  now: number,
): MarkedAttempt<R> | undefined {
  switch (step.kind) {
    case 'send': {
      const begun = beginSend(batch.rules, lineAt(batch, record, step.line), step, timing, now);
      const noted = { ...omit<BatchRecord<T>, R>(record, 'slot'), phase: begun.data.phase };
      return { ...ofLine<T, R>(step.line, begun, noted), durable: true, savesResult: true };
    }
    case 'authorize':
    case 'read':
    case 'remember':
    case 'alert':
    case 'budget':
    case 'give-up':
      return undefined;
    default:
      return beginReport(record, step, timing, now);
  }
}

export function applyBatch<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  step: BatchStep,
  result: BatchResult<T>,
  timing: Timing,
  now: number,
): Applied<R> {
  const { rules } = batch;
  const toLine = (line: number, apply: (progress: Progress<T>) => Applied<Progress<T>>) =>
    applyToLine(batch, record, line, apply, now);
  switch (step.kind) {
    // as: the results of these steps, see `execute`
    case 'authorize': {
      const [line] = record.queue;
      if (line === undefined) return { data: record };
      const authorization = result as Authorization<T>;
      const { data, audit } = toLine(line, (progress) =>
        applyAuthorization(rules, progress, authorization, timing, now),
      );
      const isAllowed = authorization.kind === 'allowed';
      return { data: isAllowed ? { ...data, allowedAt: now } : data, ...(audit && { audit }) };
    }
    case 'read':
      return toLine(step.line, (progress) =>
        applyRead(rules, progress, step, result as Read<T>, timing, now),
      );
    case 'send':
      return toLine(step.line, (progress) =>
        applySent(rules, progress, step, result as Sent<T>, timing, now),
      );
    case 'give-up':
      return toLine(step.line, (progress) => applyGivenUp(rules, progress, step, timing, now));
    case 'remember': {
      if (result.kind === 'away') return { data: { ...record, rememberAt: now + STORE_AGAIN_MS } };
      const lines = record.lines.map(
        (line, index): LineEnd<T> => (index === step.line ? { ...line, remembered: true } : line),
      );
      return { data: { ...record, lines } };
    }
    case 'alert':
      return { data: { ...record, alerted: true } };
    case 'budget':
      return { data: slotTaken<T, R>(record, result, now) };
    default: {
      const action = `${rules.audit}.post`;
      const applied = applyReport(record, action, step, result as ReportResult, timing, now);
      return { ...applied, data: keptShowing<T, R>(record, applied.data, timing, now) };
    }
  }
}

function applyToLine<T extends OperationTypes, R extends BatchRecord<T>>(
  batch: Batch<T, R>,
  record: R,
  line: number,
  apply: (progress: Progress<T>) => Applied<Progress<T>>,
  now: number,
): Applied<R> {
  const before = lineAt(batch, record, line);
  const applied = apply(before);
  // A late result that does not affect the line.
  if (applied.data === before) return { data: record };
  return ofLine<T, R>(line, applied, withLine(batch, record, line, applied.data, now));
}

/** The audit log names the line, from 1. */
function ofLine<T extends OperationTypes, R extends BatchRecord<T>>(
  line: number,
  { audit = [] }: Applied<Progress<T>>,
  data: R,
): Applied<R> {
  const named = audit.map((entry) => ({ ...entry, facts: { ...entry.facts, line: line + 1 } }));
  return { data, audit: named };
}

/** A slot is reserved for the next line. */
function slotTaken<T extends OperationTypes, R extends BatchRecord<T>>(
  record: R,
  result: BatchResult<T>,
  now: number,
): R {
  if (result.kind !== 'slot') throw new Error(`a slot does not end as ${result.kind}`);
  const { phase } = record;
  if (phase.name !== 'send') return record;
  return { ...record, slot: true, phase: { ...phase, notBefore: now + result.waitMs } };
}

/**
 * The batch after a step of its message: progress that was just shown stays for a while, unless the batch has ended.
 */
function keptShowing<T extends OperationTypes, R extends BatchRecord<T>>(
  before: R,
  after: R,
  timing: Timing,
  now: number,
): R {
  const tsOf = (record: R) => postNamed(record, 'result').ts;
  const isSame = tsOf(before) === tsOf(after) && before.told === after.told;
  return isSame ? after : { ...after, quietUntil: now + timing.progressMs };
}
