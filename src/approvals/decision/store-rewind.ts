import { FRESH_MS } from '../../core/engine/attempt.ts';
import { type Approval, type Decision, isOnCourse, isOwnGate } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';
import { canBeUndone, isUndoOn, lostUndo } from './guards.ts';
import { closeDecision, withNewRound } from './transitions.ts';

/** What Slack may show although the store has lost it, after its last saves were lost. */

/**
 * The time by which Slack shows every post of this record that the store may have lost; 0: it lost nothing. Calls that
 * were in flight when the store was rewound arrive later.
 */
export function lostUntil(record: Created, terms: Pick<Terms, Lives | 'timing'>): number {
  if (!mayBeForgotten(record, terms)) return 0;
  const { servingSince, wentBackAt, timing } = terms;
  const arrivedBy = wentBackAt + FRESH_MS + timing.stepMs + timing.quietMs;
  return record.createdAt < wentBackAt ? Math.max(servingSince, arrivedBy) : servingSince;
}

/** The same; `unrecalled` stays set until its message was searched for. */
export function forgottenUntil(approval: Approval, terms: Pick<Terms, Lives | 'timing'>): number {
  return Math.max(lostUntil(approval, terms), approval.unrecalled === true ? 1 : 0);
}

type Created = Pick<Approval, 'createdAt'>;
type Lives = 'servingSince' | 'wentBackAt';

function mayBeForgotten({ createdAt }: Created, { servingSince }: Pick<Terms, Lives>): boolean {
  return createdAt < servingSince;
}

/** The status was last read before the store may have lost saves. */
export function mustReadAgain(approval: Approval, terms: Terms): boolean {
  const { outcome, withdrawnAt, watch } = approval;
  if (isOwnGate(approval) || outcome !== undefined) return false;
  if (!mayBeForgotten(approval, terms) || withdrawnAt !== undefined) return false;
  const isWatched = watch.ended !== true && watch.stale !== true;
  return isWatched && (watch.checkedAt ?? 0) < terms.servingSince;
}

/** The message may state who decided although the store lost it; for an own gate even the outcome. */
export function mustRecall(approval: Approval, terms: Terms): boolean {
  const { outcome, recalled, unrecalled, watch } = approval;
  if (isOwnGate(approval) && outcome === undefined) {
    // Another process, which has been serving for longer, found that.
    if (unrecalled === true) return true;
    // Only the message knows the outcome.
    const isRead = (watch.checkedAt ?? 0) >= terms.servingSince;
    return !isRead && mayBeForgotten(approval, terms);
  }
  const isNameless = outcome?.credit === 'none' && outcome.status !== 'TIMED_OUT';
  return isNameless && recalled === undefined && mayBeForgotten(approval, terms);
}

/** Replicas notice the same event at their next write. One that reconnects later than that opens a request again. */
const NOTICED_MS = 20_000;

/**
 * A store that went back may have lost an Undo, where that is possible: the request is opened again, once, and an
 * approval that could be undone then is not sent. The same object if nothing is to be done.
 */
export function afterRewind(
  approval: Approval,
  { route, wentBackAt }: Pick<Terms, 'route' | 'wentBackAt'>,
): Approval {
  const { createdAt, rewoundAt = 0, decision } = approval;
  const isHeld = decision !== undefined && canBeUndone(decision) && decision.action === 'approve';
  const mayHaveLost =
    createdAt < wentBackAt && (isHeld || (route !== undefined && isUndoOn(route)));
  if (!mayHaveLost || wentBackAt - rewoundAt < NOTICED_MS) return approval;
  const left =
    isHeld && isUnsent(decision) ? closeDecision(approval, lostUndo(decision)) : approval;
  return { ...withNewRound(left, [wentBackAt]), rewoundAt: wentBackAt };
}

function isUnsent({ phase }: Decision): boolean {
  const isWaiting = !isOnCourse(phase) || phase.name === 'check' || phase.name === 'send';
  return isWaiting && phase.sends.ambiguous + phase.sends.limited === 0;
}
