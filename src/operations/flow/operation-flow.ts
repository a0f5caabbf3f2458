import { callResult } from '../../core/engine/call-result.ts';
import { type Due, firstDue } from '../../core/engine/first-due.ts';
import {
  type Applied,
  type Flow,
  type LastWord,
  type MarkedAttempt,
  type Plan,
  STORE_AGAIN_MS,
} from '../../core/engine/flow.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Signal } from '../../core/store/store.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { applyReport, beginReport, showAgain } from './apply-report.ts';
import { forgotten, tellOnce } from './last-word.ts';
import {
  decodeOperation,
  encodeOperation,
  type Operation,
  type OperationRecord,
  type OperationState,
  type Reporting,
  stateOf,
} from './operation.ts';
import {
  applyAuthorization,
  applyGivenUp,
  applyRead,
  applySent,
  beginSend,
  cancel,
  dueProgress,
  isRepeatable,
  sendAgain,
} from './progress.ts';
import {
  dueAnnouncement,
  dueModal,
  dueResult,
  executeReport,
  isToldWhereAsked,
  type ReportResult,
  type ReportStep,
} from './report.ts';
import type {
  Authorization,
  OperationTypes,
  Progress,
  ProgressStep,
  Read,
  Rules,
  Sent,
} from './rules.ts';

/** One thing to do next, with at most one external call. */
type OperationStep<T extends OperationTypes> =
  | ProgressStep
  | { readonly kind: 'remember' }
  | { readonly kind: 'alert' }
  | ReportStep<OperationState<T>>;

type OperationResult<T extends OperationTypes> =
  | Authorization<T>
  | Read<T>
  | Sent<T>
  | Remembered
  | ReportResult;

/** Whether suggestions for the next time were stored. */
interface Remembered {
  readonly kind: 'done' | 'away';
}

/** Signals in an operation's inbox. Only Gatepost writes and reads them. */
type OperationSignal =
  /** The person wants the same call repeated; `run`: the run they saw. */
  | { readonly kind: 'again'; readonly run: number }
  /** The person cancels it: nothing more is sent. */
  | { readonly kind: 'cancel' }
  /** Only causes the record to be processed. */
  | { readonly kind: 'go-on' }
  /** The acknowledgement of another press may have replaced the modal. */
  | { readonly kind: 'covered' };

export function encodeSignal(signal: OperationSignal): string {
  return JSON.stringify(signal);
}

/** How one kind of operation is reconciled. */
export function createOperationFlow<T extends OperationTypes>(
  operation: Operation<T>,
  timing: Timing,
): Flow<OperationRecord<T>, OperationStep<T>, OperationResult<T>> {
  const { rules, report } = operation;
  return {
    kind: rules.kind,
    decode: (text) => decodeOperation(rules, text),
    encode: encodeOperation,
    receive: (record, signal, now) => receive(rules, record, signal, now),
    plan: (record, now) => plan(operation, record, now),
    markAttempt: (record, step, now) => begin(rules, record, step, timing, now),
    execute: (record, step, id) => execute(operation, timing, record, step, id),
    apply: (record, step, result, now) => apply(rules, record, step, result, timing, now),
    ...(report && { lastWord: (learned, _noted, id) => lastWordOf(report, id, learned) }),
  };
}

/** The last word when the record is gone. */
function lastWordOf<T extends OperationTypes>(
  report: Reporting<T>,
  id: string,
  learned: OperationRecord<T>,
): LastWord {
  const last = forgotten<T, OperationRecord<T>>(learned);
  return {
    facts: { outcome: last.outcome?.code ?? '' },
    show: () => tellOnce(report, id, last, stateOf(last)),
  };
}

function receive<T extends OperationTypes>(
  rules: Rules<T>,
  record: OperationRecord<T>,
  { body }: Signal,
  now: number,
): Applied<OperationRecord<T>> {
  // as: only `encodeSignal` writes it
  const signal = JSON.parse(body) as OperationSignal;
  switch (signal.kind) {
    case 'covered':
      return { data: showAgain(record, now) };
    case 'cancel':
      return cancel(rules, record);
    case 'go-on':
      return { data: record };
    case 'again': {
      if (!isRepeatable(rules, record) || signal.run !== record.run) return { data: record };
      const { alerted, ...rest } = record;
      return sendAgain(rules, { ...rest, run: record.run + 1 }, now);
    }
  }
}

function plan<T extends OperationTypes>(
  { rules, alert, report, remember, keepMs }: Operation<T>,
  record: OperationRecord<T>,
  now: number,
): Plan<OperationStep<T>> {
  const state = stateOf(record);
  const { outcome, announce, alerted, remembered, rememberAt = now } = record;
  const isSuccess = outcome !== undefined && rules.isSuccess(outcome);
  const isAlerting = outcome !== undefined && outcome.code === alert?.code;
  const isAnnounced = isSuccess && announce && report?.announcement !== undefined;
  const dues: readonly (() => Due<OperationStep<T>>)[] = [
    // Stored before anybody reads that it was done.
    () => {
      if (!isSuccess || !remember || remembered) return null;
      return now < rememberAt ? rememberAt : { kind: 'remember' };
    },
    () => dueModal(record, state, now),
    () => dueProgress(rules, record, now),
    () => (isAlerting && !alerted ? { kind: 'alert' } : null),
    () => (isAnnounced ? dueAnnouncement(record, state, now) : null),
    () =>
      isAnnounced && report.announcesAll && isAllTold(record)
        ? null
        : dueResult(record, state, now),
  ];
  return firstDue(dues, keepMs);
}

/** A repeated attempt may have created two, which only the result mentions. */
function isAllTold<T extends OperationTypes>(record: OperationRecord<T>): boolean {
  return record.unconfirmed === undefined && isToldWhereAsked(record);
}

/** Notes an attempt at the step. */
function begin<T extends OperationTypes>(
  rules: Rules<T>,
  record: OperationRecord<T>,
  step: OperationStep<T>,
  timing: Timing,
  now: number,
): MarkedAttempt<OperationRecord<T>> | undefined {
  switch (step.kind) {
    case 'send':
      return { ...beginSend(rules, record, step, timing, now), durable: true, savesResult: true };
    case 'authorize':
    case 'read':
    case 'give-up':
    case 'alert':
    case 'remember':
      return undefined;
    default:
      return beginReport(record, step, timing, now);
  }
}

/** Makes the step's external call. Failures of other systems are results; only our own mistakes throw. */
async function execute<T extends OperationTypes>(
  operation: Operation<T>,
  timing: Timing,
  record: OperationRecord<T>,
  step: OperationStep<T>,
  id: string,
): Promise<OperationResult<T>> {
  switch (step.kind) {
    case 'authorize':
      return operation.authorize(record, id);
    case 'read':
      return readOnce(operation, record, timing);
    case 'send':
      return sendOnce(operation, record.wish, timing);
    case 'give-up':
      return { kind: 'done' };
    case 'alert':
      await operation.alert?.raise();
      return { kind: 'done' };
    case 'remember':
      return unlessAway<Remembered>(rememberOf(operation, record), { kind: 'away' });
    default: {
      const { report } = operation;
      if (report === undefined) throw new Error('nobody is told');
      return executeReport(report, id, record, step);
    }
  }
}

async function rememberOf<T extends OperationTypes>(
  operation: Operation<T>,
  record: OperationRecord<T>,
): Promise<Remembered> {
  await operation.remember?.(record);
  return { kind: 'done' };
}

/** Reads the target, within the deadline of a step. */
export async function readOnce<T extends OperationTypes>(
  { read }: Operation<T>,
  progress: Progress<T>,
  { stepMs }: Timing,
): Promise<Read<T>> {
  if (read === undefined) throw new Error('it cannot be read');
  if (read === null) return { kind: 'no-key' };
  const found = read(progress, { deadlineMs: stepMs });
  return callResult(found.then((reading) => ({ kind: 'read', reading }) as const));
}

/** Sends it, within the deadline of a step. */
export async function sendOnce<T extends OperationTypes>(
  { send }: Operation<T>,
  wish: T['wish'],
  { stepMs }: Timing,
): Promise<Sent<T>> {
  if (send === null) return { kind: 'no-key' };
  const sent = send(wish, { deadlineMs: stepMs });
  return callResult(sent.then((answer) => ({ kind: 'answered', answer }) as const));
}

/** Applies a step's result. Pure; handles late and repeated results. */
function apply<T extends OperationTypes>(
  rules: Rules<T>,
  record: OperationRecord<T>,
  step: OperationStep<T>,
  result: OperationResult<T>,
  timing: Timing,
  now: number,
): Applied<OperationRecord<T>> {
  switch (step.kind) {
    // as: the results of these steps, see `execute`
    case 'authorize':
      return applyAuthorization(rules, record, result as Authorization<T>, timing, now);
    case 'read':
      return applyRead(rules, record, step, result as Read<T>, timing, now);
    case 'send':
      return applySent(rules, record, step, result as Sent<T>, timing, now);
    case 'give-up':
      return applyGivenUp(rules, record, step, timing, now);
    case 'alert':
      return { data: { ...record, alerted: true } };
    case 'remember':
      // Nobody waits for it to read the outcome.
      if (result.kind === 'away') return { data: { ...record, rememberAt: now + STORE_AGAIN_MS } };
      return { data: { ...record, remembered: true } };
    default:
      return applyReport(record, `${rules.audit}.post`, step, result as ReportResult, timing, now);
  }
}
