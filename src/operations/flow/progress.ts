import { attemptAt, isOf, type Planned } from '../../core/engine/attempt.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import { type FailureFacts, isUnclear } from '../../core/lib/failure.ts';
import { omit } from '../../core/lib/omit.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { NewAuditEntry } from '../../core/store/store.ts';
import type {
  Authorization,
  OperationTypes,
  OutcomeOf,
  Progress,
  ProgressStep,
  Read,
  ReadPhase,
  Rules,
  Sent,
  Unclear,
  Verdict,
} from './rules.ts';
import {
  allowed,
  authorizingFailed,
  dueSend,
  firstPhase,
  type Sending,
  sendBegun,
  sendFailed,
} from './sending.ts';

/** How the steps of an operation change its progress: pure; handles late and repeated results. */

/** How old a reading can be when sending relies on it: as old as a slow read makes it. */
const READ_GOOD_FOR_MS = 6_000;

export function dueProgress<T extends OperationTypes>(
  { reading, authorizedForMs }: Rules<T>,
  { phase, wish }: Progress<T>,
  now: number,
): Due<ProgressStep> {
  if (phase.name === 'done') return null;
  const read = { kind: 'read', plannedAt: now } as const;
  if (phase.name === 'read-back') return now < phase.notBefore ? phase.notBefore : read;
  if (phase.name === 'sending') return reading ? read : dueGiveUp(phase, now);
  const due = dueSend(phase, now, authorizedForMs?.(wish));
  if (typeof due === 'number') return due;
  if (due === 'authorize') return { kind: 'authorize' };
  const readAt = phase.name === 'send' ? phase.readAt : undefined;
  const isLongAgo = readAt === undefined || now > readAt + READ_GOOD_FOR_MS;
  return reading?.isFirst(wish) && isLongAgo ? read : { kind: 'send', plannedAt: now };
}

/** Only a process that died leaves a call in this phase. Its answer may still arrive. */
function dueGiveUp({ attempt: { mustEndBy, plannedAt } }: Sending, now: number): Due<ProgressStep> {
  return now < mustEndBy ? mustEndBy : { kind: 'give-up', plannedAt };
}

/** Applies an authorization. */
export function applyAuthorization<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  result: Authorization<T>,
  timing: Timing,
  now: number,
): Applied<P> {
  const { phase } = progress;
  // A late result: the current phase counts.
  if (phase.name !== 'authorize' && phase.name !== 'send') return { data: progress };
  switch (result.kind) {
    case 'allowed': {
      // The count of reads survives repeated authorizations, so that reading ends.
      const reads = phase.name === 'send' ? phase.reads : undefined;
      const next = { ...allowed(phase, now), ...(reads !== undefined && { reads }) };
      return { data: { ...progress, phase: next } };
    }
    case 'not-allowed':
      return done(rules, progress, { code: 'not-allowed', refusal: result.code });
    case 'barred':
      return done(rules, progress, result.outcome);
    case 'wait':
      return { data: { ...progress, phase: { ...phase, notBefore: now + result.waitMs } } };
    case 'failed': {
      const again = authorizingFailed(phase, result.failure, timing, now);
      return again === null
        ? done(rules, progress, { code: uncheckedCode(result.of) })
        : { data: { ...progress, phase: again } };
    }
  }
}

/** The outcome if the person could not be authorized; `of`: who did not answer, absent for Slack. */
export function uncheckedCode(of: 'service' | 'store' | undefined) {
  if (of === undefined) return 'could-not-check';
  return of === 'service' ? 'account-not-read' : 'store-not-read';
}

/** Notes that it is about to be sent. */
export function beginSend<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  step: Planned,
  timing: Timing,
  now: number,
): Applied<P> {
  return {
    data: { ...progress, phase: sendBegun(progress.phase, step, timing, now) },
    audit: [auditEntry(rules, progress, 'send')],
  };
}

/** Applies the service's answer, or the failure. */
export function applySent<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  step: Planned,
  result: Sent<T>,
  timing: Timing,
  now: number,
): Applied<P> {
  const { phase } = progress;
  const sending = phase.name === 'sending' && isOf(step, phase.attempt) ? phase : null;
  if (sending === null) return applyLate(rules, progress, step, result, timing, now);
  switch (result.kind) {
    case 'answered':
      return applyVerdict(rules, progress, rules.verdict(progress, result.answer), now);
    case 'no-key':
      return done(rules, progress, { code: 'no-key' });
    case 'failed':
      return applyFailure(rules, progress, sending, result.failure, timing, now);
  }
}

/** A result of an earlier attempt, or of one whose note the store lost. What certainly had no effect adds nothing. */
function applyLate<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  step: Planned,
  result: Sent<T>,
  timing: Timing,
  now: number,
): Applied<P> {
  if (result.kind === 'answered') return applyLateAnswer(rules, progress, result.answer, now);
  if (result.kind === 'no-key' || !isUnclear(result.failure)) return { data: progress };
  return learnedLate(rules, progress, step, result.failure, timing, now);
}

/**
 * A call may have been carried out. If it is not known yet, the store lost its note: instead of being sent again it is
 * lost like any other. An open attempt, and what has ended, keep their own results.
 */
function learnedLate<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  step: Planned,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Applied<P> {
  const { phase, outcome, unconfirmed } = progress;
  // Another one is planned only when the lost call is quiet, unless repeating it does no harm.
  const isKnown = unconfirmed !== undefined && step.plannedAt < unconfirmed.quietAt;
  const isOver = phase.name === 'done' && outcome !== undefined;
  if (isKnown || (isOver && rules.settling.has(outcome.code))) return { data: progress };
  const sent = { attempt: attemptAt(step, timing, now) };
  const known = lost(progress, sent, { hasEnded: true, timing, now, failure });
  const isNext = phase.name === 'authorize' || phase.name === 'send';
  return isNext ? readBackOrUnknown(rules, known) : { data: { ...known, phase } };
}

/** Late or not: the service said that it was done, which settles the lost call. */
function applyLateAnswer<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  answer: T['answer'],
  now: number,
): Applied<P> {
  const { phase, outcome } = progress;
  const isKnown = outcome !== undefined && rules.isSuccess(outcome);
  // A repeated call that is in flight has an answer of its own.
  const isWaited = phase.name === 'sending' && !rules.isDoneOnce;
  if (!rules.confirms(answer) || isKnown || isWaited) return { data: progress };
  return applyVerdict(rules, confirmed(progress), rules.verdict(progress, answer), now);
}

function applyFailure<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  sending: Sending,
  failure: FailureFacts,
  timing: Timing,
  now: number,
): Applied<P> {
  const after = sendFailed(sending, failure, timing, now, rules.limitedMax);
  switch (after.kind) {
    case 'again':
      return progress.cancelled
        ? endUnsent(rules, progress)
        : { data: { ...progress, phase: after.phase } };
    case 'done':
      return done(rules, progress, { code: after.code, ...detailOf(failure.detail) });
    case 'lost':
      return readBackOrUnknown(
        rules,
        lost(progress, sending, { hasEnded: true, timing, now, failure }),
      );
  }
}

/**
 * The sending process is gone, and nothing can be read: the result is unknown, and it is never repeated automatically.
 */
export function applyGivenUp<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  step: Planned,
  timing: Timing,
  now: number,
): Applied<P> {
  const { phase } = progress;
  if (phase.name !== 'sending' || !isOf(step, phase.attempt)) return { data: progress };
  return readBackOrUnknown(rules, lost(progress, phase, { hasEnded: false, timing, now }));
}

/** Applies a reading: before sending, or to find out the effect of a call. */
export function applyRead<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  step: Planned,
  result: Read<T>,
  timing: Timing,
  now: number,
): Applied<P> {
  const { phase } = progress;
  // Its process died during the call.
  const known =
    phase.name === 'sending' ? lost(progress, phase, { hasEnded: false, timing, now }) : progress;
  const isRead = known.phase.name === 'send' || known.phase.name === 'read-back';
  if (!isRead || rules.reading === undefined) return { data: progress };
  // Without a key the effect of a sent call cannot be read.
  if (result.kind === 'no-key') {
    return done(rules, known, { code: known.phase.name === 'send' ? 'no-key' : 'unknown' });
  }
  const found = result.kind === 'read' ? { reading: result.reading } : { failure: result.failure };
  const read = { found, readAt: step.plannedAt, timing, now };
  // as: one of these two, see above
  const verdict = rules.reading.verdict(known, known.phase as ReadPhase<T>, read);
  return applyVerdict(rules, known, verdict, now);
}

function applyVerdict<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  verdict: Verdict<T>,
  now: number,
): Applied<P> {
  const { phase } = progress;
  switch (verdict.kind) {
    case 'done':
      return done(rules, progress, verdict.outcome);
    case 'read-back': {
      const { why, detail } = verdict;
      const readBack = { name: 'read-back', why, reads: 0, notBefore: now } as const;
      return { data: { ...progress, phase: { ...readBack, ...detailOf(detail) } } };
    }
    case 'read-again': {
      if (phase.name !== 'send' && phase.name !== 'read-back') return { data: progress };
      const reads = (phase.reads ?? 0) + 1;
      return { data: { ...progress, phase: { ...phase, reads, notBefore: verdict.notBefore } } };
    }
    case 'ready':
      if (phase.name !== 'send') throw new Error('only what is to be sent is ready');
      return { data: { ...progress, phase: { ...phase, readAt: now } } };
    case 'send-again':
      if (progress.cancelled) return endUnsent(rules, progress);
      return { data: { ...progress, phase: firstPhase(verdict.notBefore) } };
  }
}

interface Loss {
  /** The call has certainly ended. */
  readonly hasEnded: boolean;
  readonly timing: Timing;
  readonly now: number;
  readonly failure?: FailureFacts;
}

/** It is not known whether the call arrived. */
function lost<P extends Progress<OperationTypes>>(
  progress: P,
  { attempt }: Pick<Sending, 'attempt'>,
  { hasEnded, timing, now, failure }: Loss,
): P {
  const quietAt = attempt.mustEndBy + timing.quietMs;
  const unconfirmed = { quietAt, lost: (progress.unconfirmed?.lost ?? 0) + 1, hasEnded };
  return {
    ...progress,
    unconfirmed,
    phase: { name: 'read-back', why: 'lost', reads: 0, notBefore: now, ...unclear(failure) },
  };
}

function readBackOrUnknown<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
): Applied<P> {
  if (rules.reading !== undefined) return { data: progress };
  const { phase } = progress;
  return done(rules, progress, { ...UNKNOWN, ...unclear(phase.name === 'read-back' ? phase : {}) });
}

/** The known parts of an unclear answer. */
export function unclear({ status, detail }: Unclear = {}): Unclear {
  return { ...(status !== undefined && { status }), ...detailOf(detail) };
}

/** Ends a run with its outcome. An earlier lost call stays unconfirmed, unless this settles it. */
function done<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  outcome: OutcomeOf<T>,
): Applied<P> {
  const known = rules.settling.has(outcome.code) ? confirmed(progress) : progress;
  return {
    data: { ...known, phase: { name: 'done' }, outcome },
    audit: [outcomeEntry(rules, progress, outcome)],
  };
}

function confirmed<P extends Progress<OperationTypes>>(progress: P): P {
  return omit<Progress<OperationTypes>, P>(progress, 'unconfirmed');
}

/** The person wants the same call repeated. */
export function sendAgain<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
  now: number,
): Applied<P> {
  const { unconfirmed } = progress;
  // The lost call must not arrive after this one.
  const phase = firstPhase(Math.max(now, unconfirmed?.quietAt ?? 0));
  const earlier = unconfirmed && { unconfirmed: { ...unconfirmed, lost: 0 } };
  const begun = { ...progress, ...earlier, phase };
  const data = omit<Progress<OperationTypes>, P>(begun, 'outcome');
  return { data, audit: [auditEntry(rules, progress, 'again')] };
}

/** The person cancels it: nothing more is sent. The effect of a sent call is still read. */
export function cancel<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
): Applied<P> {
  const { phase } = progress;
  if (rules.cancelled === undefined || phase.name === 'done') return { data: progress };
  const isSent = phase.name === 'sending' || phase.name === 'read-back';
  const cancelled = { ...progress, cancelled: true as const };
  return isSent ? { data: cancelled } : endUnsent(rules, cancelled);
}

/** Nothing more is sent. */
function endUnsent<T extends OperationTypes, P extends Progress<T>>(
  rules: Rules<T>,
  progress: P,
): Applied<P> {
  const { cancelled = UNKNOWN } = rules;
  return done(rules, progress, progress.unconfirmed === undefined ? cancelled : UNKNOWN);
}

const UNKNOWN = { code: 'unknown' } as const;

export function isRepeatable<T extends OperationTypes>(
  { repeatable }: Rules<T>,
  { phase, outcome }: Progress<T>,
): boolean {
  return phase.name === 'done' && outcome !== undefined && repeatable.has(outcome.code);
}

/** The service's own words, as a member that is present only if there are any. */
export function detailOf(detail: string | null | undefined): { readonly detail?: string } {
  return detail === null || detail === undefined ? {} : { detail };
}

export function auditEntry<T extends OperationTypes>(
  { audit, factsOf }: Rules<T>,
  { by, wish }: Pick<Progress<T>, 'by' | 'wish'>,
  action: 'asked' | 'send' | 'again',
): NewAuditEntry {
  return { action: `${audit}.${action}`, record: null, actor: by, facts: factsOf(wish, action) };
}

function outcomeEntry<T extends OperationTypes>(
  rules: Rules<T>,
  { by, wish }: Progress<T>,
  outcome: OutcomeOf<T>,
): NewAuditEntry {
  const { code } = outcome;
  const facts = {
    ...rules.factsOf(wish, 'outcome'),
    outcome: code,
    ...('refusal' in outcome && { refusal: outcome.refusal }),
    ...rules.outcomeFacts(outcome),
  };
  const action = code === 'not-allowed' ? 'refused' : 'outcome';
  return { action: `${rules.audit}.${action}`, record: null, actor: by, facts };
}
