/**
 * All delays and timeouts of the rules, in milliseconds, passed in so that tests can run ten times faster.
 *
 * Values that must not be scaled are constants where they are used: Slack's demands (an acknowledgement within 3 s),
 * times set by other systems (`Retry-After`, a known deadline), what people notice (a message that says after a second
 * what a press waits for), what a machine needs (the loop's shortest wait, how old a note can be when its call begins,
 * the store's timeouts), retention, and what a route configures.
 */
export interface Timing {
  /** The hard deadline of a step's external call: less than half a lease. */
  readonly stepMs: number;
  /** How long a lease lasts; every save renews it. */
  readonly leaseMs: number;
  /**
   * How long after the certain end of a call others wait before repeating it: what was sent last may still be in
   * flight.
   */
  readonly quietMs: number;
  /** Waits between tries of a call that was not sent. */
  readonly retryMs: readonly [number, number, number];
  /** Used for a 429 without `Retry-After`. */
  readonly defaultRetryAfterMs: number;
  /** How long after a press an unreachable service is retried. */
  readonly tryForMs: number;
  /** Together with the one-second connect timeout, tries start at most five seconds apart. */
  readonly tryEveryMs: number;
  /** When the status is read after an unclear answer. */
  readonly settleReadsMs: readonly number[];
  /** When the status is read again after two lost answers. */
  readonly lostTwiceMs: number;
  /** How long the answer to Check now is shared with others who press. */
  readonly checkEveryMs: number;
  /** Waits between reads after a lost answer, as long as nothing seems changed or the read fails. */
  readonly readBackMs: readonly [number, number, number, number];
  /** The shortest time between progress updates: Slack allows about one a second, and people read more slowly. */
  readonly progressMs: number;
  /** How long after an unclear update a message is rendered again. */
  readonly renderAgainMs: number;
  /** How long after its outcome a message folds, so that the person who pressed still sees what they decided. */
  readonly foldAfterMs: number;
  /**
   * How long after a press the Home tab is refreshed, at most if changes follow each other, and how long its filters and
   * pages are remembered.
   */
  readonly homeMs: { readonly gather: number; readonly most: number; readonly kept: number };
  /** Slack's post rate per channel, apart from a small burst. */
  readonly postEveryMs: number;
  /** How often an approval of at least this age is polled; youngest first. */
  readonly polls: readonly [Poll, ...Poll[]];
  /** How often a service that denies every call is probed. */
  readonly probeEveryMs: number;
  /** How long after a known deadline the status is read. */
  readonly afterDeadlineMs: number;
  /** Waits between tries of a callback: five times as long each, up to `most`, until `giveUp` after its event. */
  readonly callbackMs: { readonly first: number; readonly most: number; readonly giveUp: number };
  /**
   * Waits between tries to alert an administrator: doubling up to `most`. `unclear`: after a try that may have
   * succeeded.
   */
  readonly alertMs: { readonly first: number; readonly unclear: number; readonly most: number };
  /** How often a changed audit log is sealed. */
  readonly sealMs: number;
  /** How often the catalogue is read that automations report. */
  readonly catalogueMs: number;
  /** How often new entries of the audit log are written to AUDIT_LOG. */
  readonly auditLogMs: number;
}

interface Poll {
  readonly fromMs: number;
  readonly everyMs: number;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const TABLE: Timing = {
  stepMs: 5 * SECOND,
  leaseMs: 12 * SECOND,
  quietMs: 10 * SECOND,
  retryMs: [500, SECOND, 2 * SECOND],
  defaultRetryAfterMs: 2 * SECOND,
  tryForMs: 30 * SECOND,
  tryEveryMs: 4 * SECOND,
  settleReadsMs: [0, 2 * SECOND, 5 * SECOND, 10 * SECOND],
  lostTwiceMs: 15 * SECOND,
  checkEveryMs: 10 * SECOND,
  readBackMs: [SECOND, 2 * SECOND, 5 * SECOND, 10 * SECOND],
  progressMs: 3 * SECOND,
  renderAgainMs: 30 * SECOND,
  foldAfterMs: 30 * SECOND,
  homeMs: { gather: SECOND, most: 5 * SECOND, kept: 24 * HOUR },
  postEveryMs: SECOND,
  polls: [
    { fromMs: 0, everyMs: 15 * SECOND },
    { fromMs: 2 * MINUTE, everyMs: MINUTE },
    { fromMs: 30 * MINUTE, everyMs: 5 * MINUTE },
    { fromMs: 6 * HOUR, everyMs: 15 * MINUTE },
  ],
  probeEveryMs: MINUTE,
  afterDeadlineMs: 2 * SECOND,
  callbackMs: { first: SECOND, most: HOUR, giveUp: 24 * HOUR },
  alertMs: { first: SECOND, unclear: 10 * SECOND, most: 10 * MINUTE },
  sealMs: 5 * MINUTE,
  catalogueMs: 15 * SECOND,
  auditLogMs: SECOND,
};

/**
 * What a slow machine needs itself: with shorter limits it would mistake its own delays for silence of others. A lease
 * also outlasts calls of flows that run in real time.
 */
const LEAST = { stepMs: 3 * SECOND, leaseMs: 8 * SECOND } as const;

/** The timing at `scale` of real time. */
export function timingAt(scale: number): Timing {
  const { stepMs, leaseMs, ...waits } = scaled(TABLE, scale);
  return {
    ...waits,
    stepMs: Math.max(LEAST.stepMs, stepMs),
    leaseMs: Math.max(LEAST.leaseMs, leaseMs),
  };
}

/** For production. */
export const TRUE_TIME = timingAt(1);

/** A copy with every number scaled, in whole milliseconds. */
function scaled<Value>(value: Value, scale: number): Value {
  const scaledOf = (each: unknown): unknown => {
    if (typeof each === 'number') return Math.round(each * scale);
    if (Array.isArray(each)) return each.map(scaledOf);
    return Object.fromEntries(Object.entries(Object(each)).map(([k, v]) => [k, scaledOf(v)]));
  };
  // as: only the numbers change
  return scaledOf(value) as Value;
}
