import type { MonotonicClock } from '../../core/lib/clock.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Reading } from '../../core/people/directory.ts';

/** One authorization pass: earlier reads do not count, and reads during the pass are shared. */
export interface Asking {
  readonly since: number;
  /** Milliseconds left of the pass. */
  readonly deadlineMs: number;
  /** How long the service has to return an account. */
  readonly accountMs: number;
}

/** `ages`: the clock of the look-ups. */
export function beginAsking(
  { ages, timing }: { readonly ages: MonotonicClock; readonly timing: Timing },
  accountMs = timing.stepMs,
): Asking {
  const since = ages.monotonic();
  return {
    since,
    get deadlineMs() {
      return Math.max(0, since + timing.stepMs - ages.monotonic());
    },
    accountMs,
  };
}

export function accountReading({ since, deadlineMs, accountMs }: Asking): Reading {
  return { since, deadlineMs: Math.min(deadlineMs, accountMs) };
}
