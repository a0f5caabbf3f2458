import type { Applied, MarkedAttempt } from '../../../core/engine/flow.ts';
import type { Timing } from '../../../core/lib/timing.ts';
import { applyReport, beginReport } from '../../flow/apply-report.ts';
import { applyAuthorization, applyGivenUp, applySent, beginSend } from '../../flow/progress.ts';
import { postNamed, type ReportResult } from '../../flow/report.ts';
import type { Authorization, Sent } from '../../flow/rules.ts';
import { CASE_RULES, type CaseProgress, type CaseTypes } from '../case.ts';
import type { BatchRecord, BatchResult, BatchStep } from './batch.ts';
import { lineAt, withLine } from './queue.ts';

/** How the steps of a batch change it: pure; handles late and repeated results. */

/** Nobody watches the individual lines: a busy service gets minutes. */
const LINE_RULES = { ...CASE_RULES, limitedMax: 20 };

/** Notes an attempt at the step. */
export function beginBatch(
  batch: BatchRecord,
  step: BatchStep,
  timing: Timing,
  now: number,
): MarkedAttempt<BatchRecord> | undefined {
  switch (step.kind) {
    case 'send': {
      const begun = beginSend(LINE_RULES, lineAt(batch, step.line), step, timing, now);
      const { slot, ...rest } = batch;
      const noted = { ...rest, phase: begun.data.phase };
      return { ...ofLine(step.line, begun, noted), durable: true };
    }
    case 'authorize':
    case 'alert':
    case 'budget':
    case 'give-up':
      return undefined;
    default:
      return beginReport(batch, step, timing, now);
  }
}

export function applyBatch(
  batch: BatchRecord,
  step: BatchStep,
  result: BatchResult,
  timing: Timing,
  now: number,
): Applied<BatchRecord> {
  switch (step.kind) {
    // as: the results of these steps, see `execute`
    case 'authorize':
      return applyAuthorized(batch, result as Authorization<CaseTypes>, timing, now);
    case 'send': {
      const sent = result as Sent<CaseTypes>;
      const apply = (line: CaseProgress) => applySent(LINE_RULES, line, step, sent, timing, now);
      return applyToLine(batch, step.line, apply, now);
    }
    case 'give-up': {
      const apply = (line: CaseProgress) => applyGivenUp(LINE_RULES, line, step, timing, now);
      return applyToLine(batch, step.line, apply, now);
    }
    case 'alert':
      return { data: { ...batch, alerted: true } };
    case 'budget':
      return { data: slotTaken(batch, result, now) };
    default: {
      const action = `${LINE_RULES.audit}.post`;
      const applied = applyReport(batch, action, step, result as ReportResult, timing, now);
      return { ...applied, data: keptShowing(batch, applied.data, timing, now) };
    }
  }
}

function applyAuthorized(
  batch: BatchRecord,
  result: Authorization<CaseTypes>,
  timing: Timing,
  now: number,
): Applied<BatchRecord> {
  const [line] = batch.queue;
  if (line === undefined) return { data: batch };
  const authorized = result.kind === 'allowed' ? { ...batch, allowedAt: now } : batch;
  const apply = (progress: CaseProgress) =>
    applyAuthorization(LINE_RULES, progress, result, timing, now);
  return applyToLine(authorized, line, apply, now);
}

function applyToLine(
  batch: BatchRecord,
  line: number,
  apply: (progress: CaseProgress) => Applied<CaseProgress>,
  now: number,
): Applied<BatchRecord> {
  const before = lineAt(batch, line);
  const applied = apply(before);
  // A late result that does not affect the line.
  if (applied.data === before) return { data: batch };
  return ofLine(line, applied, withLine(batch, line, applied.data, now));
}

/** The audit log names the line, from 1. */
function ofLine(
  line: number,
  { audit = [] }: Applied<CaseProgress>,
  data: BatchRecord,
): Applied<BatchRecord> {
  const named = audit.map((entry) => ({ ...entry, facts: { ...entry.facts, line: line + 1 } }));
  return { data, audit: named };
}

/** A slot is reserved for the next line. */
function slotTaken(batch: BatchRecord, result: BatchResult, now: number): BatchRecord {
  if (result.kind !== 'slot') throw new Error(`a slot does not end as ${result.kind}`);
  const { phase } = batch;
  if (phase.name !== 'send') return batch;
  return { ...batch, slot: true, phase: { ...phase, notBefore: now + result.waitMs } };
}

/**
 * The batch after a step of its message: progress that was just shown stays for a while, unless the batch has ended.
 */
function keptShowing(
  before: BatchRecord,
  after: BatchRecord,
  timing: Timing,
  now: number,
): BatchRecord {
  const tsOf = (batch: BatchRecord) => postNamed(batch, 'result').ts;
  const isSame = tsOf(before) === tsOf(after) && before.told === after.told;
  return isSame ? after : { ...after, quietUntil: now + timing.progressMs };
}
