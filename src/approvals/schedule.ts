import type { Timing } from '../core/lib/timing.ts';

/** When things are done again, and how long what is known of them counts. See `Timing` for the others. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** A press that waits longer for the service is shown, and so is a decision that takes longer to send. */
export const SHOW_AFTER_MS = SECOND;
/** The first reads for a click, of the account and the status: short, so that a slow service is shown in time. */
export const FIRST_READ_MS = SHOW_AFTER_MS;
/**
 * How stale a PENDING, or an authorization, may be when a decision is sent: as stale as two reads make it, the first
 * of them slow.
 */
export function goodForMs({ stepMs }: Timing): number {
  return FIRST_READ_MS + stepMs;
}
/** The same for a decision that had to be tried again: whatever held it up, people may have left meanwhile. */
export const RETRY_GOOD_FOR_MS = SECOND;

/** Of the budget: the rest is for first polls, and for bulk work. */
const PLANNED_SHARE = 0.7;

/** Of the usual one: they vary, so that polls do not come all at once. */
export const SHORTEST_WAIT = 0.9;

interface PollFacts {
  readonly now: number;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** How many approvals are polled, and how many polls a minute all of them may cost. */
  readonly pending: number;
  readonly budgetPerMinute: number;
  /** Its last read was denied, as every other one is: one of those that are due tries, the others wait again. */
  readonly isProbing?: boolean;
  /** 0 up to 1. */
  readonly jitter: number;
}

/**
 * When to ask the service again: less and less often with age, and once right after a known deadline. Where all
 * that is pending, asked for at the slowest pace, would take more than its share of the budget, every wait grows
 * by the same factor (docs/scale.md). What comes on top, such as many new ones at once, waits for its slots.
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

/** Until when a service that does not answer is tried at least, for who pressed at `pressedAt`. */
export function triedUntil(pressedAt: number, notBefore: number, { tryForMs }: Timing): number {
  return Math.max(pressedAt + tryForMs, notBefore);
}

/**
 * When a service that does not answer, or only with errors, is tried again for who pressed at `pressedAt`, after
 * `tries` before this one; undefined: it was tried for long enough. A press that was held up has a
 * few quick tries all the same.
 */
export function nextTryAt(
  { pressedAt, tries, isTimeout }: { pressedAt: number; tries: number; isTimeout: boolean },
  { retryMs, tryForMs, tryEveryMs }: Timing,
  now: number,
): number | undefined {
  const quickMs = retryMs[tries];
  const giveUpAt = pressedAt + tryForMs;
  if (quickMs === undefined && now >= giveUpAt) return undefined;
  // A call that was cut off has waited long enough.
  const nextAt = now + (isTimeout ? 0 : (quickMs ?? tryEveryMs));
  return quickMs === undefined ? Math.min(nextAt, giveUpAt) : nextAt;
}

/** When to ask for the first time, if there are words to show without asking. */
export function firstPollAt(
  createdAt: number,
  { polls, afterDeadlineMs }: Timing,
  expiresAt = Number.POSITIVE_INFINITY,
): number {
  return Math.min(createdAt + polls[0].everyMs, expiresAt + afterDeadlineMs);
}
