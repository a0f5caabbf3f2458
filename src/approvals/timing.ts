import { RETRY_MS } from '../reconcile/patience.ts';

/** Every duration of the approvals' rules, in milliseconds. */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A decision that takes longer is shown as being carried out. */
export const SHOW_DECIDING_AFTER_MS = SECOND;
/** For so long after a press a service that cannot be reached is tried. */
const TRY_FOR_MS = 30 * SECOND;
/** With the second after which a connection is given up, tries begin at most five apart. */
const TRY_EVERY_MS = 4 * SECOND;
/** The first look at the status for a click: short, so that a slow service is noticed in time. */
export const FIRST_READ_MS = SHOW_DECIDING_AFTER_MS;
/** How old the word PENDING may be when an answer is sent: as old as a slow look makes it. */
export const STATUS_GOOD_FOR_MS = 6 * SECOND;
/** For how long an authorization holds: as long as what is read of the status. */
export const AUTHORIZED_GOOD_FOR_MS = STATUS_GOOD_FOR_MS;
/** The same for a decision that had to be tried again: whatever held it up, people may have left meanwhile. */
export const RETRY_GOOD_FOR_MS = SECOND;
/** When the status is looked up after an answer that did not tell. */
export const SETTLE_READS_MS = [0, 2 * SECOND, 5 * SECOND, 10 * SECOND] as const;
/** When the service is asked again after an answer was lost twice. */
export const LOST_TWICE_MS = 15 * SECOND;
/** A message is rendered again this long after an update whose end is not known. */
export const RENDER_AGAIN_MS = 30 * SECOND;
/** How long after a known deadline the service is asked whether time ran out. */
const AFTER_DEADLINE_MS = 2 * SECOND;

const FIRST_POLL_MS = 15 * SECOND;
const POLLS = [
  { until: 2 * MINUTE, every: FIRST_POLL_MS },
  { until: 30 * MINUTE, every: MINUTE },
  { until: 6 * HOUR, every: 5 * MINUTE },
] as const;
const OLD_POLL_MS = 15 * MINUTE;

interface PollFacts {
  readonly now: number;
  readonly createdAt: number;
  readonly expiresAt: number | undefined;
  /** How many approvals are polled, and how many polls a minute all of them may cost. */
  readonly pending: number;
  readonly budgetPerMinute: number;
  /** 0 up to 1. */
  readonly jitter: number;
}

/** When to ask the service again: ever more rarely with age, and once right after a known deadline. */
export function nextPollAt(facts: PollFacts): number {
  const age = facts.now - facts.createdAt;
  const byAge = POLLS.find((row) => age < row.until)?.every ?? OLD_POLL_MS;
  const byBudget = (facts.pending / facts.budgetPerMinute) * MINUTE;
  const nextAt = facts.now + Math.max(byAge, byBudget) * (0.9 + 0.2 * facts.jitter);
  const deadlineAt = (facts.expiresAt ?? 0) + AFTER_DEADLINE_MS;
  return Math.round(facts.now < deadlineAt ? Math.min(nextAt, deadlineAt) : nextAt);
}

/**
 * When a service that could not be reached is tried again for who pressed at `pressedAt`, after
 * `tries` before this one; undefined: it was tried for long enough. A press that was held up has a
 * few quick tries all the same.
 */
export function nextTryAt(
  { pressedAt, tries, isTimeout }: { pressedAt: number; tries: number; isTimeout: boolean },
  now: number,
): number | undefined {
  const quickMs = RETRY_MS[tries];
  const giveUpAt = pressedAt + TRY_FOR_MS;
  if (quickMs === undefined && now >= giveUpAt) return undefined;
  // A call that was cut off has waited long enough.
  const nextAt = now + (isTimeout ? 0 : (quickMs ?? TRY_EVERY_MS));
  return quickMs === undefined ? Math.min(nextAt, giveUpAt) : nextAt;
}

/** When to ask for the first time, if there are words to show without asking. */
export function firstPollAt(createdAt: number, expiresAt = Number.POSITIVE_INFINITY): number {
  return Math.min(createdAt + FIRST_POLL_MS, expiresAt + AFTER_DEADLINE_MS);
}
