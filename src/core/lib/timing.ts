/**
 * All delays and timeouts of the rules, in milliseconds. They are passed in, so that tests can run ten times
 * faster.
 *
 * The same at any scale, and therefore beside what they are for: what Slack demands (an acknowledgement
 * within 3 s), what another system names (`Retry-After`, a known
 * deadline), what a person notices (a message that says what a press waits for after a second), what a machine
 * takes (the shortest wait of the loop, how old a note may be when its call begins, what the store may
 * take), how long something is kept or remembered, and what a route configures.
 */
export interface Timing {
  /** The hard deadline of a step's external call: under half a lease. */
  readonly stepMs: number;
  /** How long a lease lasts; every save renews it. */
  readonly leaseMs: number;
  /**
   * How long after a call must have ended nobody else repeats it: what was sent at the last moment may
   * still be on its way.
   */
  readonly quietMs: number;
  /** Waits between tries of a call that did not reach the other side. */
  readonly retryMs: readonly [number, number, number];
  /** `Retry-After` was not given with a 429. */
  readonly defaultRetryAfterMs: number;
  /** For so long after a press a service that cannot be reached is tried. */
  readonly tryForMs: number;
  /** With the second after which a connection is given up, tries begin at most five seconds apart. */
  readonly tryEveryMs: number;
  /** When the status is looked up after an answer that did not tell. */
  readonly settleReadsMs: readonly number[];
  /** When the service is asked again after an answer was lost twice. */
  readonly lostTwiceMs: number;
  /** How long an answer to Check now is good for others who press. */
  readonly checkEveryMs: number;
  /** Waits between readings of what was sent and lost, as long as it seems untouched or cannot be read. */
  readonly readBackMs: readonly [number, number, number, number];
  /** Progress is shown no more often: Slack takes about one update a second, and people read slower. */
  readonly progressMs: number;
  /** A message is rendered again this long after an update whose end is not known. */
  readonly renderAgainMs: number;
  /** How long after its outcome a message folds to it: whoever pressed still sees what they decided. */
  readonly foldAfterMs: number;
  /**
   * How long a Home tab is kept fresh after its person opened or pressed it, how far apart that shows it, and how long
   * changes are gathered for that.
   */
  readonly homeMs: { readonly fresh: number; readonly apart: number; readonly gather: number };
  /** Slack takes one post in this time for each channel, besides a small burst. */
  readonly postEveryMs: number;
  /** How often the service is asked about an approval that is at least so old; the youngest first. */
  readonly polls: readonly [Poll, ...Poll[]];
  /** How often it is asked whether it denies every call still. */
  readonly probeEveryMs: number;
  /** How long after a known deadline the service is asked whether time ran out. */
  readonly afterDeadlineMs: number;
  /** Waits between tries of a callback: five times as long each, up to `most`, until `giveUp` after its event. */
  readonly callbackMs: { readonly first: number; readonly most: number; readonly giveUp: number };
  /** Waits between tries to tell an administrator: they double up to `most`. `unclear`: they may have been told. */
  readonly alertMs: { readonly first: number; readonly unclear: number; readonly most: number };
  /** How often the audit log is sealed where it has changed. */
  readonly sealMs: number;
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
  homeMs: { fresh: 10 * MINUTE, apart: 5 * SECOND, gather: SECOND },
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
};

/**
 * What a slow machine may need by itself: a shorter limit would take that for the silence of others. A
 * lease outlasts the calls of flows that go by the true time, too.
 */
const LEAST = { stepMs: 3 * SECOND, leaseMs: 8 * SECOND } as const;

/** The timing where everything takes `scale` of the true time. */
export function timingAt(scale: number): Timing {
  const { stepMs, leaseMs, ...waits } = scaled(TABLE, scale);
  return {
    ...waits,
    stepMs: Math.max(LEAST.stepMs, stepMs),
    leaseMs: Math.max(LEAST.leaseMs, leaseMs),
  };
}

/** In production. */
export const TRUE_TIME = timingAt(1);

/** A copy with every number in it so much larger, in whole milliseconds. */
function scaled<Value>(value: Value, scale: number): Value {
  const scaledOf = (each: unknown): unknown => {
    if (typeof each === 'number') return Math.round(each * scale);
    if (Array.isArray(each)) return each.map(scaledOf);
    return Object.fromEntries(Object.entries(Object(each)).map(([k, v]) => [k, scaledOf(v)]));
  };
  // as: only the numbers are others
  return scaledOf(value) as Value;
}
