import { attemptAt, type Planned } from '../../core/engine/attempt.ts';
import type { Failed } from '../../core/engine/call-result.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { Approval } from '../approval.ts';
import type { Terms } from '../electorate/terms.ts';

/** What is known of the message while it is being updated. */

export type Updated = { readonly kind: 'done' } | Failed;

/** Notes that the message may be updated, `inMs` from now: until the call has ended it may show anything. */
export function markUpdate(
  approval: Approval,
  step: Planned,
  timing: Timing,
  now: number,
  inMs = 0,
): Approval {
  const { shown, ...rest } = approval;
  const { notBefore, againAt, attempt, ...update } = approval.update ?? {};
  // An open attempt belonged to a process that died: its update may arrive late.
  const again = attempt === undefined ? againAt : attempt.mustEndBy + timing.renderAgainMs;
  const isAhead = again !== undefined && again > now;
  const begun = attemptAt(step, timing, now + inMs);
  return { ...rest, update: { ...update, ...(isAhead && { againAt: again }), attempt: begun } };
}

/** Until when an update may arrive whose note is lost because the store was rewound, like that of a dead process. */
export function lateUntil(
  { createdAt }: Approval,
  { wentBackAt, timing }: Pick<Terms, 'wentBackAt' | 'timing'>,
): number {
  if (createdAt >= wentBackAt) return 0;
  return attemptAt({ plannedAt: wentBackAt }, timing, wentBackAt).mustEndBy + timing.renderAgainMs;
}

/** Renders the message again once no late update can arrive any more. */
export function renderedAgain(
  { stated, ...approval }: Approval,
  { renderAgainMs }: Timing,
  now: number,
): Approval {
  return { ...approval, update: { ...approval.update, againAt: now + renderAgainMs } };
}

/** The update of the message that `markAttempt` noted has ended with the call. */
export function updateEnded(approval: Approval): Approval {
  const { update, ...rest } = approval;
  if (update === undefined) return approval;
  const { attempt, ...kept } = update;
  return Object.keys(kept).length === 0 ? rest : { ...rest, update: kept };
}
