import { takeBudgetSlot } from '../../core/engine/budget.ts';
import { callResult } from '../../core/engine/call-result.ts';
import type { Due } from '../../core/engine/first-due.ts';
import type { Applied } from '../../core/engine/flow.ts';
import type { FailureFacts } from '../../core/lib/failure.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Slot } from '../../core/posts/post-calls.ts';
import { type ApprovalAlert, deniedAlert } from '../alert.ts';
import {
  type Approval,
  isOnCourse,
  isOwnGate,
  type NotKnown,
  needsPrompt,
  type Watch,
} from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { isDenied, isSealed, troubleOf } from '../failure.ts';
import { FIRST_READ_MS, goodForMs, nextPollAt, quietFrom } from '../schedule.ts';
import type { ApprovalCore, ApprovalStep } from './approval-core.ts';
import { authorityOf, type StatusRead } from './authority.ts';
import { retryUnsent, sendWhenPending, settleOn, settlingOf } from './decision.ts';
import {
  becomePending,
  isUnconfirmed,
  isWithdrawn,
  learnOutcome,
  markUnknown,
  owe,
} from './transitions.ts';

/** Read the status (Interface 4.3). */
export interface ReadStatus {
  readonly kind: 'read-status';
  /**
   * prompt: the message needs the service's text. watch: somebody may have decided elsewhere. decide: a decision is
   * about to be sent. settle: the effect of a sent decision is unknown.
   */
  readonly why: 'prompt' | 'watch' | 'decide' | 'settle';
  readonly deadlineMs: number;
  readonly plannedAt: number;
}

/** If the automation sent no message, the service's is read before anything is posted. */
export function duePrompt(approval: Approval, { timing }: Terms, now: number): Due<ReadStatus> {
  const { watch } = approval;
  if (isOwnGate(approval)) return null;
  const isAsked = watch.checkedAt !== undefined || watch.state === 'unknown';
  const isKnown = approval.message !== undefined || isAsked;
  if (isKnown || watch.stale === true || approval.outcome !== undefined) return null;
  if (now < watch.nextAt) return watch.nextAt;
  return { kind: 'read-status', why: 'prompt', deadlineMs: timing.stepMs, plannedAt: now };
}

/** Before a decision is sent the service has to say PENDING; after an unclear response the status is read again. */
export function dueDecisionStatus(
  { decision }: Approval,
  { timing }: Terms,
  now: number,
): Due<ReadStatus> {
  if (decision === undefined) return null;
  const { phase } = decision;
  if (!isOnCourse(phase)) return null;
  const isLater = phase.name === 'check' || phase.name === 'settle';
  if (isLater && now < phase.notBefore) return phase.notBefore;
  switch (phase.name) {
    case 'check':
      return {
        kind: 'read-status',
        why: 'decide',
        deadlineMs: phase.tries === 0 ? FIRST_READ_MS : timing.stepMs,
        plannedAt: now,
      };
    case 'send':
      // After a delay the status is read again: somebody may have decided elsewhere.
      if (now <= phase.askedAt + goodForMs(timing)) return null;
      return { kind: 'read-status', why: 'decide', deadlineMs: timing.stepMs, plannedAt: now };
    case 'sending':
    case 'settle':
      // Only a process that died leaves `sending` behind: the call's effect is looked up.
      return { kind: 'read-status', why: 'settle', deadlineMs: timing.stepMs, plannedAt: now };
  }
}

/** At once instead of at the pace of the approval's age, unless that failed already. */
export function dueStatusAgain(
  { watch }: Approval,
  { timing }: Terms,
  now: number,
): Due<ReadStatus> {
  const isTried = watch.tries !== undefined || watch.slot === true;
  if (isTried && now < watch.nextAt) return watch.nextAt;
  return { kind: 'read-status', why: 'watch', deadlineMs: timing.stepMs, plannedAt: now };
}

/** Nobody has decided here: the service is polled, and an own gate ends at its deadline. */
export function dueWatch(
  approval: Approval,
  { watchMaxAgeMs, timing }: Terms,
  now: number,
): Due<ReadStatus> {
  const { outcome, decision, withdrawnAt, unconfirmed = [], watch, createdAt } = approval;
  if (outcome !== undefined || decision !== undefined || isWithdrawn(approval)) return null;
  const isAsked = (watch.askers ?? []).length > 0;
  // Version 0.1 also stopped polling approvals that were denied.
  const isOld = !isDenied(watch) || now > createdAt + watchMaxAgeMs;
  if (watch.ended === true && isOld && !isAsked) return null;
  // After a withdrawal only the effect of a decision is still of interest, and it is not certain before then.
  const nextAt =
    withdrawnAt === undefined ? watch.nextAt : Math.max(watch.nextAt, quietFrom(unconfirmed));
  if (now < nextAt) return nextAt;
  return { kind: 'read-status', why: 'watch', deadlineMs: timing.stepMs, plannedAt: now };
}

/** Nobody who asked is in the channel, so nothing was read. */
interface Refused {
  readonly kind: 'refused-check';
}

/** The service denies every read; another approval's probe will show when it stops. */
interface LeftOut {
  readonly kind: 'left-out';
}

/** `outside`: askers who are not in the channel. */
type Read = (StatusRead | Slot | LeftOut | Refused) & { readonly outside?: readonly string[] };

export const readStatus: ApprovalStep<ReadStatus, Read> = {
  async execute(core, _id, approval, { why, deadlineMs, plannedAt }) {
    const isPoll = why === 'watch' && approval.watch.askers === undefined;
    if (isPoll && approval.watch.slot === undefined && !isOwnGate(approval)) {
      const { store, config, serviceAnswers } = core;
      const isProbing = isDenied(approval.watch) && serviceAnswers.isDenying();
      if (isProbing && !(await serviceAnswers.isProbe())) return { kind: 'left-out' };
      const waitMs = await takeBudgetSlot(store, config.budgetPerMinute);
      if (waitMs > 0) return { kind: 'slot', waitMs };
    }
    const checked = outsideOf(core, approval);
    if (why === 'watch') {
      const outside = await checked;
      const isRefused = outside.length > 0 && outside.length === approval.watch.askers?.length;
      if (isRefused) return { kind: 'refused-check', outside };
    }
    const authority = authorityOf(core, approval);
    const reading = authority.read(approval, { deadlineMs, plannedAt, isPoll });
    const [read, outside] = await Promise.all([reading, checked]);
    return outside.length === 0 ? read : { ...read, outside };
  },

  apply(before, { plannedAt: askedAt }, result, terms, now) {
    if (before.outcome !== undefined) return { data: before };
    if (result.kind === 'slot') return { data: withSlot(before, now + result.waitMs) };
    if (result.kind === 'left-out') return { data: polled(before, terms, now) };
    const approval = withoutOutside(before, result.outside);
    if (result.kind === 'refused-check') return { data: notChecked(approval) };
    const looked = { ...approval, watch: lookedAt(approval.watch) };
    if (result.kind === 'status')
      return applyStatus(looked, result.answer, terms, { askedAt, now });
    return { data: applyFailure(looked, result.failure, terms, { askedAt, now }) };
  },

  alerts(before, _step, result, after) {
    const unknown = notKnown(before, after);
    if (unknown !== undefined) return [unknown];
    // An approval that stays denied is reported once.
    if (isDenied(before.watch)) return [];
    return deniedAlert('look-denied', result.kind === 'failed' ? result.failure : undefined);
  },
};

/** The slot was used. */
function lookedAt({ slot, ...watch }: Watch): Watch {
  return watch;
}

/** Who pressed Check now and is not in the channel. If Slack does not answer soon, they count as members. */
async function outsideOf(
  { lookup, timers }: ApprovalCore,
  { channel, watch: { askers = [] } }: Approval,
): Promise<readonly string[]> {
  const checkers = askers.filter(({ checks }) => checks === true);
  if (checkers.length === 0) return [];
  const signal = timers.deadline(MEMBER_MS);
  const found = checkers.map(async ({ user }) => {
    const asked = lookup.isMember(channel, user, { signal });
    const told = await callResult(asked.then((isInside) => ({ kind: 'told', isInside }) as const));
    return told.kind === 'told' && !told.isInside ? [user] : [];
  });
  return (await Promise.all(found)).flat();
}

/** In parallel with other reads, within the lease. */
const MEMBER_MS = 2_000;

function withoutOutside(approval: Approval, outside: readonly string[] = []): Approval {
  const { askers = [], ...watch } = approval.watch;
  if (outside.length === 0) return approval;
  const inside = askers.filter(({ user }) => !outside.includes(user));
  const left = { ...approval, watch: inside.length === 0 ? watch : { ...watch, askers: inside } };
  const statement = { code: 'outside', channel: approval.channel } as const;
  const gone = askers.filter((asker) => !inside.includes(asker));
  return gone.reduce((owing, asker) => owe(owing, asker, 'refusal', statement), left);
}

/** It is polled as planned, or by the next press. */
function notChecked(approval: Approval): Approval {
  const { watch } = approval;
  const { lastCheck } = watch;
  if (lastCheck === undefined) return approval;
  const { nextAt } = lastCheck;
  return { ...approval, watch: { ...watch, nextAt, lastCheck: { ...lastCheck, isRefused: true } } };
}

/** A slot for the next poll is reserved at `nextAt`. */
function withSlot(approval: Approval, nextAt: number): Approval {
  return { ...approval, watch: { ...approval.watch, nextAt, slot: true } };
}

/** A response may be as old as its request. */
type Times = { readonly askedAt: number; readonly now: number };
type Answer = Extract<StatusRead, { kind: 'status' }>['answer'];

function applyStatus(
  approval: Approval,
  answer: Answer,
  terms: Terms,
  { askedAt, now }: Times,
): Applied<Approval> {
  const prompted = withPrompt(approval, answer.prompt ?? null);
  if (answer.status === 'UNKNOWN') {
    return {
      data: polled(
        markUnknown(prompted, 'new-status', terms.timing, now, { word: answer.raw ?? undefined }),
        terms,
        now,
      ),
    };
  }
  if (answer.status === 'PENDING') {
    const pending = polled(becomePending(prompted, now), terms, now);
    return { data: applyPending(pending, terms.timing, askedAt) };
  }
  const { decision } = approval;
  const how = decision !== undefined && isUnconfirmed(decision) ? 'lost' : 'refused';
  return learnOutcome(prompted, { status: answer.status, resolvedAt: answer.resolvedAt, how }, now);
}

function withPrompt(approval: Approval, prompt: string | null): Approval {
  return prompt !== null && needsPrompt(approval) ? { ...approval, prompt } : approval;
}

function applyPending(approval: Approval, timing: Timing, askedAt: number): Approval {
  const settling = settlingOf(approval, askedAt);
  if (settling !== undefined) return settleOn(approval, settling, 'pending', timing, askedAt);
  return sendWhenPending(approval, timing, askedAt);
}

function applyFailure(
  approval: Approval,
  failure: FailureFacts,
  terms: Terms,
  { askedAt, now }: Times,
): Approval {
  const { timing } = terms;
  const notShown = NOT_SHOWN.get(failure.status);
  if (notShown !== undefined) {
    const why = isShownBefore(approval) ? 'gone' : notShown;
    const word = failure.detail;
    return polled(markUnknown(approval, why, timing, now, { word }), terms, now);
  }
  if (isSealed(failure)) return unwatched(markUnknown(approval, 'sealed', timing, now));
  const settling = settlingOf(approval, askedAt);
  if (settling !== undefined) return settleOn(approval, settling, 'failed', timing, askedAt);
  if (failure.class === 'unreadable') {
    return polled(markUnknown(approval, 'unreadable', timing, now), terms, now);
  }
  const { decision } = approval;
  if (decision !== undefined) return retryUnsent(approval, decision, failure, timing, now);
  return watchFailed(approval, failure, terms, now);
}

/** The service does not know the token, or no longer shows its approval. */
const NOT_SHOWN: ReadonlyMap<number | undefined, NotKnown> = new Map([
  [404, 'not-known-404'],
  [409, 'not-known-409'],
  [410, 'not-known-410'],
]);

function isShownBefore({ watch }: Approval): boolean {
  const isUnknown = [...NOT_SHOWN.values()].some((why) => why === watch.why);
  return watch.checkedAt !== undefined && !isUnknown;
}

/** Schedules the next poll, or ends polling if the approval is too old. */
function polled(approval: Approval, terms: Terms, now: number): Approval {
  const { ended, ...watch } = approval.watch;
  if (isOwnGate(approval)) {
    return { ...approval, watch: { ...watch, nextAt: approval.expiresAt ?? watch.nextAt } };
  }
  if (now - approval.createdAt > terms.watchMaxAgeMs) return unwatched(approval);
  const { createdAt, expiresAt } = approval;
  const { pending, budgetPerMinute, timing } = terms;
  const isProbing = terms.isDenying && isDenied(watch);
  const jitter = terms.random();
  const facts = { now, createdAt, expiresAt, pending, budgetPerMinute, isProbing, jitter };
  const nextAt = nextPollAt(facts, timing);
  return { ...approval, watch: { ...watch, nextAt } };
}

/** Ends polling until somebody asks. */
function unwatched(approval: Approval): Approval {
  return { ...approval, watch: { ...approval.watch, ended: true } };
}

/** A few quick tries, then the message says that the service does not answer. */
function watchFailed(
  approval: Approval,
  failure: FailureFacts,
  terms: Terms,
  now: number,
): Approval {
  const tries = approval.watch.tries ?? 0;
  const { retryMs } = terms.timing;
  const waitMs = failure.class === 'refused' ? limitMs(failure, terms.timing) : retryMs[tries];
  if (waitMs !== undefined && tries < retryMs.length) {
    const nextAt = now + waitMs;
    const { ended, ...watch } = approval.watch;
    return { ...approval, watch: { ...watch, nextAt, failure, tries: tries + 1 } };
  }
  const { askers, ...watch } = approval.watch;
  const stale: Approval = { ...approval, watch: { ...watch, failure, stale: true } };
  const next = polled(stale, terms, now);
  const goesOn = next.watch.ended !== true;
  const statement = { code: 'trouble', trouble: troubleOf(failure), goesOn } as const;
  return (askers ?? []).reduce((owing, asker) => owe(owing, asker, 'trouble', statement), next);
}

/** undefined: not a rate limit. */
function limitMs(
  { status, retryAfterMs }: FailureFacts,
  { defaultRetryAfterMs }: Timing,
): number | undefined {
  return status === 429 ? (retryAfterMs ?? defaultRetryAfterMs) : undefined;
}

/** Alerts when it happened to three new approvals in a row. */
function notKnown({ watch: was }: Approval, { watch: is }: Approval): ApprovalAlert | undefined {
  const isFirst = was.checkedAt === undefined && is.why === 'not-known-404';
  return isFirst ? { cause: 'look-not-known', said: '404' } : undefined;
}
