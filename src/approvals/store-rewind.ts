import { FRESH_MS } from '../core/engine/attempt.ts';
import { type Approval, isOwnGate } from './approval.ts';
import type { Terms } from './policy.ts';

/** What Slack may show more of than is known here, because the store may have lost its last saves. */

/**
 * From when on Slack shows all that was posted for it and that the store may have lost; 0: it lost nothing. What was
 * on its way when the store went back arrives later.
 */
export function lostUntil(record: Created, terms: Pick<Terms, Lives | 'timing'>): number {
  if (!mayBeForgotten(record, terms)) return 0;
  const { servingSince, wentBackAt, timing } = terms;
  const arrivedBy = wentBackAt + FRESH_MS + timing.stepMs + timing.quietMs;
  return record.createdAt < wentBackAt ? Math.max(servingSince, arrivedBy) : servingSince;
}

type Created = Pick<Approval, 'createdAt'>;
type Lives = 'servingSince' | 'wentBackAt';

function mayBeForgotten({ createdAt }: Created, { servingSince }: Pick<Terms, Lives>): boolean {
  return createdAt < servingSince;
}

/** How the gate stands was last read before the store may have lost what came of it. */
export function mustReadAgain(approval: Approval, terms: Terms): boolean {
  const { outcome, withdrawnAt, watch } = approval;
  if (isOwnGate(approval) || outcome !== undefined) return false;
  if (!mayBeForgotten(approval, terms) || withdrawnAt !== undefined) return false;
  const isWatched = watch.ended !== true && watch.stale !== true;
  return isWatched && (watch.checkedAt ?? 0) < terms.servingSince;
}

/** The message may name who decided, from before the store forgot it: with an own gate the outcome itself. */
export function mustRecall(approval: Approval, terms: Terms): boolean {
  const { outcome, recalled, unrecalled, watch } = approval;
  if (isOwnGate(approval) && outcome === undefined) {
    // Another process, which has served for longer, found that.
    if (unrecalled === true) return true;
    // Nobody else knows what became of it.
    const isRead = (watch.checkedAt ?? 0) >= terms.servingSince;
    return !isRead && mayBeForgotten(approval, terms);
  }
  const isNameless = outcome?.credit === 'none' && outcome.status !== 'TIMED_OUT';
  return isNameless && recalled === undefined && mayBeForgotten(approval, terms);
}
