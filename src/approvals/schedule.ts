import type { Timing } from '../core/lib/timing.ts';
import type { Approval, Phase, Unconfirmed } from './approval.ts';

/** When things are retried, and how long what was read stays valid. See `Timing` for other delays. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A press that waits longer for the service is shown, and so is a decision that takes longer to send. */
export const SHOW_AFTER_MS = SECOND;
/** The first reads for a click, of the account and the status: short, so that a slow service shows in time. */
export const FIRST_READ_MS = SHOW_AFTER_MS;
/** How stale a PENDING or an authorization can be when a decision is sent: two reads, the first of them slow. */
export function goodForMs({ stepMs }: Timing): number {
  return FIRST_READ_MS + stepMs;
}
/** The same for a retried decision: people may have left while it was held up. */
export const RETRY_GOOD_FOR_MS = SECOND;

/** The share of the budget for regular polls; the rest is for first polls and bulk work. */
const PLANNED_SHARE = 0.7;

/** The shortest wait, relative to the usual one: waits are jittered to spread the polls. */
export const SHORTEST_WAIT = 0.9;

interface PollFacts {
  readonly now: number;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** The number of approvals polled, and of polls a minute for all of them. */
  readonly pending: number;
  readonly budgetPerMinute: number;
  /** All reads are denied: one of the due approvals probes the service, the others wait again. */
  readonly isProbing?: boolean;
  /** From 0 to 1. */
  readonly jitter: number;
}

/**
 * When to poll next: less often with age, and once right after a known deadline. If all pending approvals at the
 * slowest pace would exceed their share of the budget, all waits grow by the same factor (docs/operations.md). Extra polls,
 * such as for many new approvals, wait for slots.
 */
export function nextPollAt(facts: PollFacts, timing: Timing): number {
  const { probeEveryMs, afterDeadlineMs } = timing;
  const polls = facts.isProbing ? ([{ fromMs: 0, everyMs: probeEveryMs }] as const) : timing.polls;
  const age = facts.now - facts.createdAt;
  const { everyMs } = polls.findLast(({ fromMs }) => age >= fromMs) ?? polls[0];
  const slowestMs = Math.max(...polls.map((poll) => poll.everyMs));
  const wantedPerMinute = (facts.pending / slowestMs) * MINUTE;
  const crowding = Math.max(1, wantedPerMinute / (facts.budgetPerMinute * PLANNED_SHARE));
  const nextAt = facts.now + everyMs * crowding * (SHORTEST_WAIT + 0.2 * facts.jitter);
  const deadlineAt = (facts.expiresAt ?? 0) + afterDeadlineMs;
  return Math.round(facts.now < deadlineAt ? Math.min(nextAt, deadlineAt) : nextAt);
}

/** When none of these decisions can still be in flight. */
export function quietFrom(unconfirmed: readonly Unconfirmed[]): number {
  return Math.max(0, ...unconfirmed.map(({ quietAt }) => quietAt));
}

/** A decision is checked next, once no earlier one, which goes first, can still be in flight. */
export function checkedNext(
  { unconfirmed = [] }: Pick<Approval, 'unconfirmed'>,
  sends: Phase['sends'],
  now: number,
): Phase {
  const notBefore = Math.max(now, quietFrom(unconfirmed));
  const waits = notBefore > now ? { waitsFor: 'earlier' as const } : {};
  return { name: 'check', tries: 0, notBefore, sends, ...waits };
}

/** How long a press at `pressedAt` keeps retrying a service that does not answer, at least. */
export function triedUntil(pressedAt: number, notBefore: number, { tryForMs }: Timing): number {
  return Math.max(pressedAt + tryForMs, notBefore);
}

/**
 * When to retry for a press at `pressedAt`, after `tries` earlier tries, if the service does not answer or answers with
 * errors; undefined: give up. A press that was delayed still gets a few quick tries.
 */
export function nextTryAt(
  { pressedAt, tries, isTimeout }: { pressedAt: number; tries: number; isTimeout: boolean },
  { retryMs, tryForMs, tryEveryMs }: Timing,
  now: number,
): number | undefined {
  const quickMs = retryMs[tries];
  const giveUpAt = pressedAt + tryForMs;
  if (quickMs === undefined && now >= giveUpAt) return undefined;
  // A call that timed out has waited long enough.
  const nextAt = now + (isTimeout ? 0 : (quickMs ?? tryEveryMs));
  return quickMs === undefined ? Math.min(nextAt, giveUpAt) : nextAt;
}

/** When to poll first, if there is text to show without asking. */
export function firstPollAt(
  createdAt: number,
  { polls, afterDeadlineMs }: Timing,
  expiresAt = Number.POSITIVE_INFINITY,
): number {
  return Math.min(createdAt + polls[0].everyMs, expiresAt + afterDeadlineMs);
}
