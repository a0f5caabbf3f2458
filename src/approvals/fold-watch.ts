import type { FailureFacts } from '../lib/failure.ts';
import { DEFAULT_RETRY_AFTER_MS, RETRY_MS } from '../reconcile/patience.ts';
import type { Approval } from './approval.ts';
import type { Terms } from './terms.ts';
import { nextPollAt } from './timing.ts';
import { tell } from './transitions.ts';
import { troubleOf, troubleSentence } from './trouble.ts';

/** Nobody has decided here; the service is asked from time to time. */

/** Sets the time of the next look, or ends the watch of an approval that is too old. */
export function polled(approval: Approval, terms: Terms, now: number): Approval {
  const { ended, ...watch } = approval.watch;
  if (now - approval.createdAt > terms.watchMaxAgeMs) return unwatched(approval);
  const nextAt = nextPollAt({
    now,
    createdAt: approval.createdAt,
    expiresAt: approval.expiresAt,
    pending: terms.pending,
    budgetPerMinute: terms.budgetPerMinute,
    jitter: terms.random(),
  });
  return { ...approval, watch: { ...watch, nextAt } };
}

/** Nothing is asked any more until somebody wants to know. */
export function unwatched(approval: Approval): Approval {
  const { woken, ...watch } = approval.watch;
  return { ...approval, watch: { ...watch, ended: true } };
}

/** A few quick tries, then the message says what the service does instead of answering. */
export function foldWatchFailure(
  approval: Approval,
  failure: FailureFacts,
  terms: Terms,
  now: number,
): Approval {
  const tries = approval.watch.tries ?? 0;
  const waitMs = failure.class === 'refused' ? limitMs(failure) : RETRY_MS[tries];
  if (waitMs !== undefined && tries < RETRY_MS.length) {
    const nextAt = now + waitMs;
    return { ...approval, watch: { ...approval.watch, nextAt, failure, tries: tries + 1 } };
  }
  const { askers, ...watch } = approval.watch;
  const stale: Approval = { ...approval, watch: { ...watch, failure, stale: true } };
  const trouble = troubleOf(failure);
  // Whom the service does not let in, it does not let in a minute later.
  const next = trouble.why === 'denied' ? unwatched(stale) : polled(stale, terms, now);
  const sentence = troubleSentence(trouble, next.watch.ended !== true);
  return (askers ?? []).reduce((owing, asker) => tell(owing, asker, sentence), next);
}

/** undefined: not a matter of waiting. */
function limitMs({ status, retryAfterMs }: FailureFacts): number | undefined {
  return status === 429 ? (retryAfterMs ?? DEFAULT_RETRY_AFTER_MS) : undefined;
}
